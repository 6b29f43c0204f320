// Package document defines a business document: its id, its type and its structured data. All
// input is treated as hostile, so you must call Parse, which checks shapes and limits, before
// you use structured data.
package document

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Type is the kind of a business document.
type Type string

// The known types.
const (
	PurchaseOrder     Type = "purchase-order"
	OrderConfirmation Type = "order-confirmation"
	DeliveryNote      Type = "delivery-note"
	GoodsReceipt      Type = "goods-receipt"
	Invoice           Type = "invoice"
	CreditNote        Type = "credit-note"
	Contract          Type = "contract"
)

// Types lists every type, in the order of a purchase.
var Types = []Type{PurchaseOrder, OrderConfirmation, DeliveryNote, GoodsReceipt, Invoice, CreditNote, Contract}

// Words returns the name of a type in words, such as purchase order.
func (t Type) Words() string {
	if w, ok := words[t]; ok {
		return w
	}
	return inWords(t)
}

var words = func() map[Type]string {
	m := make(map[Type]string, len(Types))
	for _, t := range Types {
		m[t] = inWords(t)
	}
	return m
}()

func inWords(t Type) string { return strings.ReplaceAll(string(t), "-", " ") }

// ParseType returns the type with this name.
func ParseType(s string) (Type, error) {
	if t := Type(s); slices.Contains(Types, t) {
		return t, nil
	}
	return "", fmt.Errorf("unknown document type %.40q", s)
}

// ParseID reads a document's id in its only form: 36 characters, hyphens included. Use it
// instead of uuid.Parse, because that also accepts braces, URNs and bare hex.
func ParseID(s string) (uuid.UUID, error) {
	if len(s) != 36 {
		return uuid.Nil, errors.New("not a UUID of 36 characters")
	}
	id, err := uuid.Parse(s)
	if err != nil {
		return uuid.Nil, errors.New("not a UUID")
	}
	return id, nil
}
