package reference_test

import (
	"fmt"

	"matchbook/lambda/document/reference"
)

func Example() {
	for _, cited := range reference.Find("Zu Rechnung 2022/0374, Ihre Bestellung Nr. 45O0 0001 01.") {
		fmt.Println(cited.Type, cited.Number, reference.Canonical(cited.Number), reference.Loose(cited.Number))
	}
	fmt.Println(reference.Revision("44188-R4"))
	fmt.Println(reference.Strength("12"))
	// Output:
	// invoice 2022/0374 2022374 2022374
	// purchase-order 45O0 0001 01 45O0000101 4500000101
	// 44188 R4
	// 0.1
}
