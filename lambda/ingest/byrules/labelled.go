package byrules

import (
	"slices"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/transcript"
)

// Total returns the total on these pages for which labels name a subtotal and a
// tax that add up to it.
func Total(t transcript.Transcription, pages []int) (document.Amount, bool) {
	found := sumsOf(cellsOf(only(t, pages))).settle()
	return found.total.amount, found.proved
}

// Named lists the numbers that labels on these pages give to documents of that
// type, and those that they give to others.
func Named(t transcript.Transcription, pages []int, kind document.Type) (own, others []string) {
	found, _ := numbers(cellsOf(only(t, pages)))
	for _, n := range found {
		if n.kind == kind {
			own = append(own, n.number)
		} else if n.score >= withMark {
			others = append(others, n.number)
		}
	}
	return own, others
}

func only(t transcript.Transcription, pages []int) []transcript.Page {
	other := func(p transcript.Page) bool { return !slices.Contains(pages, p.Number) }
	return slices.DeleteFunc(slices.Clone(t.Pages), other)
}
