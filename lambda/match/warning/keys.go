package warning

import (
	"crypto/sha256"
	"encoding/hex"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"
)

// The kinds of keys: a key begins with one of them and the supplier.
const (
	numberKey   = "number"
	contentKey  = "content"
	supplierKey = "supplier" // all documents of the supplier that name an account
	accountKey  = "account"
)

// maxPart bounds a part of a key, in bytes: PostgreSQL bounds the entries of an
// index.
const maxPart = 120

// short replaces a long part of a key by its hash.
func short(part string) string {
	if len(part) <= maxPart {
		return part
	}
	sum := sha256.Sum256([]byte(part))
	return hex.EncodeToString(sum[:])
}

// Keys lists the keys by which a document finds those before it. Its supplier is
// known by the VAT id and by the name, so that it has each key up to twice.
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
		if valid { // a misread account is no other account
			add(supplierKey, who, "")
		}
		if valid && d.Type != document.CreditNote { // nobody has paid to the account of a credit note
			add(accountKey, who, account)
		}
	}
	return keys
}

// Dated is the date by which documents of one key are ordered, as PostgreSQL reads
// it.
func Dated(d Document) string {
	if s := d.Date.String(); s >= "0001" {
		return s
	}
	return "-infinity"
}

func (d Document) billed() bool { return d.Type == document.Invoice || d.Type == document.CreditNote }

// value is the total; the net amount if there is none.
func (d Document) value() document.Amount {
	if d.Total.IsZero() {
		return d.Subtotal
	}
	return d.Total
}

// suppliers lists the forms by which the supplier is recognised.
func (d Document) suppliers() (list []string) {
	if id, valid := company.VATID(d.Supplier.VATID); valid {
		list = append(list, "vat "+id)
	}
	if name := company.ParseName(d.Supplier.Name).Key(); name != "" {
		list = append(list, "name "+name)
	}
	return list
}

// contradicts reports whether both name a supplier with a VAT id, and not the same:
// companies of one name.
func (d Document) contradicts(o Document) bool {
	a, valid := company.VATID(d.Supplier.VATID)
	b, alsoValid := company.VATID(o.Supplier.VATID)
	return valid && alsoValid && a != b
}
