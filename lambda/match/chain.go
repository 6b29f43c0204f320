package match

import (
	"fmt"
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/match/threeway"
	"matchbook/lambda/match/warning"

	"github.com/google/uuid"
)

// ChainKinds are the warnings about an invoice and its order.
var ChainKinds = []warning.Kind{warning.OverBilled, warning.WrongCompany}

// WithoutOrder is the comparison of an invoice that is matched with no order and no receipt.
func WithoutOrder() threeway.Invoice {
	return threeway.Invoice{Verdict: threeway.WithoutOrder, Words: "No order and no receipt is matched with it.",
		Tolerance: threeway.Usual()}
}

// Chain compares the invoices of clusters with their orders and receipts. Add all documents
// of the clusters, then call Compare, Learn and Doubt in this order, each with what the one
// before asks for.
type Chain struct {
	Tolerance threeway.Tolerances

	docs     []threeway.Document
	matches  [][2]uuid.UUID
	known    []threeway.Conversion
	compared []threeway.Invoice
	read     map[uuid.UUID]threeway.Document
	left     map[uuid.UUID]int       // unread invoices, with the number of all
	bounded  map[uuid.UUID]uuid.UUID // documents of clusters with such invoices
	of       map[uuid.UUID]int       // number of invoices in such a cluster
}

// NewChain returns a Chain without documents.
func NewChain() *Chain {
	return &Chain{read: map[uuid.UUID]threeway.Document{}, left: map[uuid.UUID]int{}, bounded: map[uuid.UUID]uuid.UUID{},
		of: map[uuid.UUID]int{}}
}

// Link is a document of a Chain.
type Link struct {
	ID       uuid.UUID
	Type     document.Type
	Data     string // empty: beyond the bounds of its cluster
	Cluster  uuid.UUID
	All      int // documents of the type in the cluster
	Partners []uuid.UUID
}

// Add adds a document. It leaves out unreadable ones, as matching does.
func (c *Chain) Add(l Link) {
	for _, partner := range l.Partners {
		c.matches = append(c.matches, [2]uuid.UUID{l.ID, partner})
	}
	parsed, err := document.Parse([]byte(l.Data))
	switch {
	case err == nil:
		d := threeway.Document{ID: l.ID, Type: l.Type, Data: parsed}
		c.docs, c.read[l.ID], c.bounded[l.ID] = append(c.docs, d), d, l.Cluster
	case l.Type == document.Invoice && l.Data == "":
		c.left[l.ID], c.of[l.Cluster] = l.All, l.All
	}
}

// Empty reports whether the chain has no readable document.
func (c *Chain) Empty() bool { return len(c.docs) == 0 }

// Compare compares the invoices. It returns the articles with units that other documents may
// explain, and the invoices that name them.
func (c *Chain) Compare() (articles []string, invoices []uuid.UUID) {
	c.compared = threeway.Check(c.docs, c.matches, c.Tolerance, nil)
	for _, v := range c.compared {
		if len(v.Unsure) > 0 {
			articles, invoices = append(articles, v.Unsure...), append(invoices, v.ID)
		}
	}
	return articles, invoices
}

// Learn compares the invoices again with what other documents say about units. It returns the
// over-billed invoices, because open questions may explain them.
func (c *Chain) Learn(known []threeway.Conversion) (over []uuid.UUID) {
	if c.known = known; len(known) > 0 {
		c.compared = threeway.Check(c.docs, c.matches, c.Tolerance, known)
	}
	for i := range c.compared {
		if v := &c.compared[i]; v.OverBills() {
			over = append(over, v.ID)
		}
	}
	return over
}

// Question is an open question about an invoice.
type Question struct {
	Invoice uuid.UUID
	Other   uuid.UUID
	Type    document.Type // of the other document
	Data    string
}

// Doubt takes the verdict from over-billed invoices that open questions explain.
func (c *Chain) Doubt(questions []Question) {
	docs, open := slices.Clone(c.docs), [][2]uuid.UUID{}
	for _, q := range questions {
		if !slices.ContainsFunc(docs, func(read threeway.Document) bool { return read.ID == q.Other }) {
			data, err := document.Parse([]byte(q.Data))
			if err != nil {
				continue // unreadable ones are left out, as by matching
			}
			docs = append(docs, threeway.Document{ID: q.Other, Type: q.Type, Data: data})
		}
		open = append(open, [2]uuid.UUID{q.Invoice, q.Other})
	}
	if len(open) > 0 {
		threeway.Doubt(c.compared, docs, c.matches, open, c.Tolerance, c.known)
	}
}

// Comparisons are the three-way matches of a Chain.
type Comparisons struct {
	About    []uuid.UUID // documents with three-way matches and warnings to replace
	Invoices []threeway.Invoice
	Warnings []warning.Warning // of ChainKinds
}

// Comparisons returns the result. It's about the changed documents as well, because they may
// have left their cluster.
func (c *Chain) Comparisons(changed []uuid.UUID) Comparisons {
	r := Comparisons{About: slices.Clone(changed), Warnings: c.otherBuyers()}
	for _, d := range c.docs {
		if d.Type == document.Invoice {
			r.About = append(r.About, d.ID)
		}
	}
	for id, all := range c.left {
		r.About = append(r.About, id)
		r.Invoices = append(r.Invoices, threeway.Invoice{ID: id, Verdict: threeway.Unchecked, Lines: []threeway.Line{},
			Orders: []threeway.Order{}, Receipts: []uuid.UUID{}, Unsure: []string{}, Tolerance: threeway.Usual(),
			Words: fmt.Sprintf("Of %d connected invoices, only the first by date were compared; this one was not.", all)})
	}
	for _, v := range c.compared {
		if all := c.of[c.bounded[v.ID]]; all > 0 {
			v.Words += fmt.Sprintf(" Of %d connected invoices, only the first by date were compared.", all)
		}
		r.Invoices = append(r.Invoices, v)
		for _, o := range v.Orders {
			if o.OverBilled {
				r.Warnings = append(r.Warnings, warning.OfOrder(v, o, c.read[o.ID].Number))
			}
		}
	}
	return r
}

// otherBuyers warns about invoices to another company than the buyer of an order matched with
// them.
func (c *Chain) otherBuyers() (list []warning.Warning) {
	for _, m := range c.matches {
		invoice, order := c.read[m[0]], c.read[m[1]]
		if order.Type == document.Invoice {
			invoice, order = order, invoice
		}
		if invoice.Type != document.Invoice || order.Type != document.PurchaseOrder {
			continue
		}
		if w, ok := warning.OtherBuyer(warning.Document(invoice), warning.Document(order)); ok {
			list = append(list, w)
		}
	}
	return list
}
