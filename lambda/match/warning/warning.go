// Package warning finds documents for people to look at although they may be matched: a number
// used twice, the same goods billed under another number, a supplier's new bank account, an
// order billed beyond its amount, an invoice to another company than ordered.
//
// A document is compared with the few before it that share a key (Keys), by date and then by
// id. So the warnings are a function of the set of documents, whatever their order of arrival.
// The later document has the warning, and names the earlier one.
//
// To find the warnings of a document, read the groups of its keys, then the documents listed
// by Compared, and pass both to Of.
//
// The words first state the facts the documents share. Then they use "may" or "seems" for a
// possible meaning.
package warning

import (
	"slices"
	"strings"

	"matchbook/lambda/document"

	"github.com/google/uuid"
)

// Kind is a kind of warning.
type Kind string

// The kinds.
const (
	// NumberUsedTwice: another invoice, or credit note, of the supplier has the number.
	NumberUsedTwice Kind = "number-used-twice"
	// BilledTwice: another invoice has the same items and total under another number.
	BilledTwice Kind = "billed-twice"
	// AccountChanged: no earlier document of the supplier names the account. Credit notes
	// don't count, because nothing is paid to their account.
	AccountChanged Kind = "account-changed"
	// OverBilled: the invoices of an order exceed it.
	OverBilled Kind = "over-billed"
	// WrongCompany: the invoice is to another company than the buyer of its order.
	WrongCompany Kind = "wrong-company"
)

// kinds has a sentence for each kind, and a person's two answers: the warning is right, or it isn't.
var kinds = map[Kind]struct {
	sentence string
	verdicts []string
}{
	NumberUsedTwice: {"Another document of the same supplier and type has the same number.", []string{"is-a-copy", "is-no-copy"}},
	BilledTwice: {"Another invoice of the same supplier bills the same items and total under another number.",
		[]string{"is-a-copy", "is-no-copy"}},
	AccountChanged: {"No earlier document of the supplier, credit notes apart, names this bank account.",
		[]string{"account-refused", "account-confirmed"}},
	OverBilled:   {"With this invoice, the invoices of an order exceed it.", []string{"excess-refused", "excess-agreed"}},
	WrongCompany: {"The invoice is addressed to another company than the buyer of its order.", []string{"company-wrong", "company-right"}},
}

// Sentence describes the kind for notifications, and is empty for an unknown kind. It contains no
// text of a document, because that may be hostile.
func (k Kind) Sentence() string { return kinds[k].sentence }

// Verdicts lists what a person can find about a warning of the kind.
func (k Kind) Verdicts() []string { return kinds[k].verdicts }

// Kinds lists the kinds, separated by commas.
func Kinds() string {
	var list []string
	for k := range kinds {
		list = append(list, string(k))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// Warning is one warning about a document.
type Warning struct {
	Document uuid.UUID
	Kind     Kind
	Other    uuid.UUID // the earlier document, or the order
	Words    string    // contains texts of the documents, so treat it as hostile
	Facts    string    // hash of the compared values: a settled warning stays settled while they're equal
}

// Document is a document as warnings compare it.
type Document struct {
	ID   uuid.UUID
	Type document.Type
	document.Data
}

// Group holds the documents directly before a document under one of its keys, nearest first,
// at most Looked.
type Group struct {
	Key    string
	Before []uuid.UUID
}

// Looked is the number of earlier documents compared under a key. Use it to bound a Group.
const Looked = 5

// Compared lists the documents you must read before calling Of.
func Compared(groups []Group) (ids []uuid.UUID) {
	for _, g := range groups {
		if _, ok := g.rule(groups); ok {
			ids = append(ids, g.Before...)
		}
	}
	return ids
}

// Of lists the warnings about a document, at most one of each kind: the one about the nearest
// document before it. others must hold the documents listed by Compared; missing ones are
// skipped.
func Of(d Document, groups []Group, others map[uuid.UUID]Document) (list []Warning) {
	for _, g := range groups {
		r, ok := g.rule(groups)
		if !ok || slices.ContainsFunc(list, func(w Warning) bool { return w.Kind == r.kind }) {
			continue
		}
		var before []Document
		for _, id := range g.Before {
			if earlier, read := others[id]; read && !d.contradicts(earlier) {
				before = append(before, earlier)
			}
		}
		for _, earlier := range before {
			if words := r.compare(d, earlier, before); words != "" {
				list = append(list, Warning{d.ID, r.kind, earlier.ID, words, Facts(d.values(), earlier.values())})
				break
			}
		}
	}
	return list
}

// rule compares a document with an earlier one of a group, and knows the others of the group.
// compare returns the warning's words, or "" if there is nothing to warn about.
type rule struct {
	kind    Kind
	compare func(d, earlier Document, group []Document) string
}

var rules = map[string]rule{
	numberKey:   {NumberUsedTwice, sameNumber},
	contentKey:  {BilledTwice, sameContent},
	supplierKey: {AccountChanged, otherAccount},
}

// rule returns the rule of a group. It compares a supplier's documents only for a new account.
func (g Group) rule(all []Group) (rule, bool) {
	kind, who, _ := strings.Cut(g.Key, "|") // who ends with a |
	r, ok := rules[kind]
	if kind != supplierKey {
		return r, ok
	}
	return r, !slices.ContainsFunc(all, func(o Group) bool {
		return strings.HasPrefix(o.Key, accountKey+"|"+who) && len(o.Before) > 0
	})
}
