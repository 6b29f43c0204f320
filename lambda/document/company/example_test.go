package company_test

import (
	"fmt"

	"matchbook/lambda/document/company"
)

func Example() {
	fmt.Println(company.VATID("DE 136 695 976"))
	fmt.Println(company.VATID("DE 136 695 916")) // a misread digit

	order := company.ParseName("Köhler & Söhne Getriebebau GmbH & Co. KG")
	invoice := company.ParseName("KOEHLER UND SOEHNE GETR1EBEBAU")
	fmt.Println(order.Words())
	fmt.Printf("%.2f\n", company.Similarity(order, invoice))
	fmt.Println(order.Keys()[0] == invoice.Keys()[0])
	// Output:
	// DE136695976 true
	// DE136695916 false
	// [koehler soehne getriebebau]
	// 0.98
	// true
}
