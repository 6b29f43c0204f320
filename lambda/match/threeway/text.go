package threeway

import (
	"fmt"
	"strings"

	"matchbook/lambda/internal/plural"

	"github.com/google/uuid"
)

const maxShown = 10

// Sentences describes the verdict for people: the summary, each line that isn't matched, and
// the rest of each order. name must return a document's name.
func (v Invoice) Sentences(name func(uuid.UUID) string) []string {
	list := []string{fmt.Sprintf("%s. %s", v.Verdict, v.Words)}
	bad := 0
	for _, l := range v.Lines {
		if l.Verdict == Matched {
			continue
		}
		if bad++; bad <= maxShown {
			head := fmt.Sprintf("line %d (%s): %s.", l.Line, l.Item, l.Verdict)
			list = append(list, strings.Join(append([]string{head}, l.Words...), " "))
		}
	}
	if bad > maxShown {
		list = append(list, fmt.Sprintf("... and %s more not matched", plural.Of(bad-maxShown, "line")))
	}
	for _, o := range v.Orders[:min(len(v.Orders), maxShown)] {
		list = append(list, o.sentences(name(o.ID))...)
	}
	return list
}

// sentences describes the rest of an order after all its invoices.
func (o Order) sentences(name string) []string {
	rest := name + ": the amounts cannot be compared."
	if !o.Amount.IsZero() {
		rest = fmt.Sprintf("%s: %s net ordered, %s billed by all its invoices, %s left.", name, o.Amount.Fixed(),
			zero.Plus(o.Billed).Fixed(), o.Remaining.Fixed())
	}
	list := []string{rest}
	for _, l := range o.Lines[:min(len(o.Lines), maxShown)] {
		if !l.Ordered.IsZero() {
			billed := "billed without a printed quantity"
			if !l.Remaining.IsZero() {
				billed = fmt.Sprintf("%s billed, %s left", short(zero.Plus(l.Billed)), short(l.Remaining))
			}
			list = append(list, fmt.Sprintf("  line %d (%s): %s ordered, %s received, %s", l.Line, l.Item,
				short(l.Ordered), short(zero.Plus(l.Received)), billed))
		}
	}
	if more := len(o.Lines) - maxShown; more > 0 {
		list = append(list, fmt.Sprintf("  ... and %s more", plural.Of(more, "line")))
	}
	return list
}
