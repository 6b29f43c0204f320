package bymodel

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
	"matchbook/lambda/ingest/extraction"
)

// join joins the documents of successive windows. The last of one and the first of the next
// are one document if they have the same number, or if the second lacks one.
func join(parts [][]extraction.Extraction) (all []extraction.Extraction) {
	for _, part := range parts {
		for i, e := range part {
			if i == 0 && len(all) > 0 && continues(all[len(all)-1], e) {
				all[len(all)-1] = merge(all[len(all)-1], e)
				continue
			}
			all = append(all, e)
		}
	}
	return all
}

func continues(a, b extraction.Extraction) bool {
	if b.Type != "" && a.Type != "" && a.Type != b.Type {
		return false
	}
	return b.Data.Number == "" || reference.Canonical(a.Data.Number) == reference.Canonical(b.Data.Number)
}

// merge adds the continuation b to a. It joins lists. Of single values it uses a's, except for
// the sums, because they stand at the end of a document.
func merge(a, b extraction.Extraction) extraction.Extraction {
	b = withoutCited(b, a.Data.References)
	a.Confidence = lower(a.Confidence, b.Confidence)
	a.Successful = a.Successful && b.Successful
	first(&a.Type, b.Type)
	a.Pages = append(a.Pages, b.Pages...)
	slices.Sort(a.Pages)
	a.Pages = slices.Compact(a.Pages)
	a.Dropped = append(a.Dropped, b.Dropped...)
	if a.Refused = maps.Clone(a.Refused); a.Refused == nil {
		a.Refused = b.Refused
	}
	maps.Copy(a.Refused, b.Refused)
	found := func(path string) bool { return !slices.Contains(b.Missing, path) }
	a.Missing = slices.DeleteFunc(slices.Clone(a.Missing), found)
	mergeFields(&a, b)
	mergeData(&a.Data, b.Data)
	return a
}

// withoutCited returns b without these references: the halves of a page share its head.
func withoutCited(b extraction.Extraction, known []document.Reference) extraction.Extraction {
	fields := maps.Clone(b.Fields)
	maps.DeleteFunc(fields, func(path string, _ extraction.Field) bool { return strings.HasPrefix(path, "references.") })
	var fresh []document.Reference
	for i, ref := range b.Data.References {
		if slices.Contains(known, ref) {
			continue
		}
		fields[fmt.Sprintf("references.%d.number", len(fresh))] = b.Fields[fmt.Sprintf("references.%d.number", i)]
		fresh = append(fresh, ref)
	}
	b.Fields, b.Data.References = fields, fresh
	return b
}

// mergeFields adds the fields of b. Its list items follow a's.
func mergeFields(a *extraction.Extraction, b extraction.Extraction) {
	shift := map[string]int{"references": len(a.Data.References), "line_items": len(a.Data.Lines),
		"taxes": len(a.Data.Taxes), "charges": len(a.Data.Charges)}
	sums := []string{"subtotal", "tax", "total", "prepaid", "rounding", "amount_due"}
	for path, f := range b.Fields {
		list, rest, _ := strings.Cut(path, ".")
		if n, ok := shift[list]; ok {
			index, name, _ := strings.Cut(rest, ".")
			if i, err := strconv.Atoi(index); err == nil {
				path = fmt.Sprintf("%s.%d.%s", list, n+i, name)
			}
		}
		if _, have := a.Fields[path]; !have || slices.Contains(sums, path) {
			a.Fields[path] = f
		}
	}
}

func mergeData(x *document.Data, y document.Data) {
	x.References = append(x.References, y.References...)
	x.Lines = append(x.Lines, y.Lines...)
	x.Taxes = append(x.Taxes, y.Taxes...)
	x.Charges = append(x.Charges, y.Charges...)
	first(&x.Number, y.Number)
	first(&x.Date, y.Date)
	first(&x.Currency, y.Currency)
	mergeParty(&x.Supplier, y.Supplier)
	mergeParty(&x.Buyer, y.Buyer)
	mergeParty(&x.Payee, y.Payee)
	first(&x.BuyerReference, y.BuyerReference)
	first(&x.Delivered, y.Delivered)
	first(&x.Period.From, y.Period.From)
	first(&x.Period.To, y.Period.To)
	first(&x.Terms.Due, y.Terms.Due)
	first(&x.Terms.Text, y.Terms.Text)
	last(&x.Subtotal, y.Subtotal)
	last(&x.Tax, y.Tax)
	last(&x.Total, y.Total)
	last(&x.Prepaid, y.Prepaid)
	last(&x.Rounding, y.Rounding)
	last(&x.AmountDue, y.AmountDue)
}

func mergeParty(x *document.Party, y document.Party) {
	first(&x.Name, y.Name)
	first(&x.VATID, y.VATID)
	first(&x.IBAN, y.IBAN)
	first(&x.Address, y.Address)
}

func first[T comparable](to *T, v T) {
	var none T
	if *to == none {
		*to = v
	}
}

func last[T comparable](to *T, v T) {
	var none T
	if v != none {
		*to = v
	}
}

func lower(a, b extraction.Confidence) extraction.Confidence {
	order := []extraction.Confidence{extraction.Low, extraction.Medium, extraction.High}
	if slices.Index(order, b) < slices.Index(order, a) {
		return b
	}
	return a
}
