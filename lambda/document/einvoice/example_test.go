package einvoice_test

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"matchbook/lambda/document/einvoice"
)

func Example() {
	raw, err := os.ReadFile(filepath.Join("testdata", "zugferd1.xml"))
	if err != nil {
		log.Fatal(err)
	}
	d, err := einvoice.Read(bytes.NewReader(raw))
	if err != nil {
		log.Fatal(err) // broken or foreign: the reason in words
	}
	fmt.Println(d.Format, d.Type, d.Data.Number, d.Data.Date, d.Data.Total.Fixed(), d.Data.Currency)
	fmt.Println(d.Data.Lines[0].Description, d.Data.Lines[0].Quantity.Canonical())
	fmt.Println(d.Problems[0].What)
	// Output:
	// ZUGFeRD 1 credit-note GS-31 2014-03-05 13.09 EUR
	// Griff grün 2
	// marked as a test
}
