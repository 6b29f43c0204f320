package warning

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
)

// The kinds of keys. A key begins with its kind and the supplier.
const (
	numberKey   = "number"
	contentKey  = "content"
	supplierKey = "supplier" // all documents of the supplier that name an account
	accountKey  = "account"
)

// maxPart bounds a part of a key, in bytes, because PostgreSQL bounds the entries of an index.
const maxPart = 120

func short(part string) string {
	if len(part) <= maxPart {
		return part
	}
	sum := sha256.Sum256([]byte(part))
	return hex.EncodeToString(sum[:])
}

// Keys lists the keys used to find the documents before d. A supplier is known by VAT id and
// by name, so each key may occur twice.
func Keys(d Document) (keys []string) {
	add := func(kind, who, what string) {
		keys = append(keys, kind+"|"+short(who)+"|"+short(what))
	}
	number, total := reference.Canonical(d.Number), d.value()
	account, valid := company.IBAN(d.Supplier.IBAN)
	for _, who := range d.suppliers() {
		if d.billed() && number != "" {
			add(numberKey, who, string(d.Type)+"|"+number)
		}
		if d.Type == document.Invoice && total.Sign() > 0 {
			add(contentKey, who, d.Currency+"|"+total.Canonical())
		}
		if valid { // a misread account isn't another account
			add(supplierKey, who, "")
		}
		if valid && d.Type != document.CreditNote { // nothing is paid to a credit note's account
			add(accountKey, who, account)
		}
	}
	return keys
}

// Dated is the date, as PostgreSQL reads it, that orders the documents of a key.
func Dated(d Document) string {
	if s := d.Date.String(); s >= "0001" {
		return s
	}
	return "-infinity"
}

// Facts is a hash of values. It doesn't depend on the words of a warning, because they change
// with the software.
func Facts(values ...any) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", values))
	return hex.EncodeToString(sum[:12])
}

// values are the values that warnings compare, in canonical form.
func (d Document) values() []string {
	account, _ := company.IBAN(d.Supplier.IBAN)
	return []string{reference.Canonical(d.Number), d.Date.String(), d.Currency, d.value().Canonical(), account}
}

func (d Document) billed() bool { return d.Type == document.Invoice || d.Type == document.CreditNote }

// value is the total, or else the net amount.
func (d Document) value() document.Amount {
	if d.Total.IsZero() {
		return d.Subtotal
	}
	return d.Total
}

func (d Document) suppliers() (list []string) {
	if id, valid := company.VATID(d.Supplier.VATID); valid {
		list = append(list, "vat "+id)
	}
	if name := company.ParseName(d.Supplier.Name).Key(); name != "" {
		list = append(list, "name "+name)
	}
	return list
}

// contradicts reports whether both have a supplier with a valid VAT id, but not the same one:
// two companies may share a name.
func (d Document) contradicts(o Document) bool {
	a, valid := company.VATID(d.Supplier.VATID)
	b, alsoValid := company.VATID(o.Supplier.VATID)
	return valid && alsoValid && a != b
}
