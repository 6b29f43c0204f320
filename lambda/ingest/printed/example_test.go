package printed_test

import (
	"fmt"

	"matchbook/lambda/ingest/printed"
)

func Example() {
	for _, a := range printed.Amounts("2 Pack 1.234 zu 1.234,56 €, 19 %") {
		fmt.Println(a.Text, len(a.Readings), a.Money, a.Percent)
	}
	for _, d := range printed.Dates("03/04/2026") {
		fmt.Println(d.Readings)
	}
	// Output:
	// 2 1 false false
	// 1.234 2 false false
	// 1.234,56 1 true false
	// 19 1 false true
	// [2026-04-03 2026-03-04]
}
