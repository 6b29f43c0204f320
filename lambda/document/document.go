// Package document defines a business document: its id, its type and the
// structured data that was read from it. All input is treated as hostile: Parse
// checks shapes and limits before any other package uses it.
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

// The types that Matchbook knows.
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

// Words is the name of a type in words: purchase order.
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

// ParseID reads a document's id in the only form that Matchbook writes:
// 36 characters, hyphens included. uuid.Parse alone also takes braces, URNs
// and bare hex, which a message body of ours never has.
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
