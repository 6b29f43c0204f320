package ingesteval

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
)

// differences lists the key fields that differ from the e-invoice's.
func differences(o outcome) (fields []Field) {
	d, want := o.docs[0].Data, o.truth.Data
	check := func(name, got, wanted string, same bool, shown func() bool) {
		if wanted != "" && !same {
			fields = append(fields, Field{name, got, wanted, shown()})
		}
	}
	quoted := func(value string) func() bool {
		return func() bool { _, ok := printed.QuotesOf(o.pages).First(value); return ok }
	}
	check("type", string(o.docs[0].Type), string(o.truth.Type), sameType(o), always)
	check("number", d.Number, want.Number, squash(d.Number) == squash(want.Number), quoted(want.Number))
	check("date", d.Date.String(), want.Date.String(), d.Date == want.Date, func() bool { return showsDate(o.pages, want.Date) })
	check("supplier", d.Supplier.Name, want.Supplier.Name, sameName(d.Supplier.Name, want.Supplier.Name), quoted(want.Supplier.Name))
	check("total", d.Total.Canonical(), want.Total.Canonical(), sameAmount(d.Total, want.Total),
		func() bool { return showsAmount(o.pages, want.Total) })
	check("currency", d.Currency, want.Currency, d.Currency == want.Currency, always)
	check("documents", fmt.Sprint(len(o.docs)), "1", len(o.docs) == 1, always)
	return fields
}

func always() bool { return true }

// sameType takes a negative invoice for a credit note: pages call it one.
func sameType(o outcome) bool {
	got, want := o.docs[0].Type, o.truth.Type
	negative := strings.HasPrefix(o.truth.Data.Total.Canonical(), "-")
	return got == want || got == document.CreditNote && want == document.Invoice && negative
}

// sameLines reports whether count and amounts agree; descriptions are worded freely on pages.
func sameLines(got, want []document.Line) bool {
	return slices.EqualFunc(got, want, func(a, b document.Line) bool { return sameAmount(a.Amount, b.Amount) })
}

// sameAmount disregards the sign, because credit notes are printed with either.
func sameAmount(a, b document.Amount) bool {
	abs := func(x document.Amount) string { return strings.TrimPrefix(x.Canonical(), "-") }
	return abs(a) == abs(b)
}

// alike is the similarity of two spellings of a company's name.
const alike = 0.85

func sameName(a, b string) bool {
	return squash(a) == squash(b) || company.Similarity(company.ParseName(a), company.ParseName(b)) >= alike
}

func squash(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), "")) }

func showsDate(t transcript.Transcription, want document.Date) bool {
	return anyLine(t, func(text string) bool {
		return slices.ContainsFunc(printed.Dates(text), func(d printed.Date) bool { return slices.Contains(d.Readings, want) })
	})
}

func showsAmount(t transcript.Transcription, want document.Amount) bool {
	return anyLine(t, func(text string) bool {
		return slices.ContainsFunc(printed.Amounts(text), func(a printed.Amount) bool {
			return slices.ContainsFunc(a.Readings, func(v document.Amount) bool { return sameAmount(v, want) })
		})
	})
}

func anyLine(t transcript.Transcription, has func(string) bool) bool {
	for _, p := range t.Pages {
		if slices.ContainsFunc(p.Lines, func(l transcript.Line) bool { return has(l.Text) }) {
			return true
		}
	}
	return false
}
