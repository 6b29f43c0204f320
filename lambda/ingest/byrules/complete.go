package byrules

import (
	"cmp"
	"slices"
	"strconv"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

// complete doubts lines that may not be all of a document's, because OCR loses lines, and only sums would show it.
// An unread row of which nothing was delivered is no line, but its number counts.
func (r *reader) complete(items, unread []item) {
	zero := func(it item) bool { return it.none }
	none := slices.DeleteFunc(slices.Clone(unread), func(it item) bool { return !zero(it) })
	unread = slices.DeleteFunc(unread, zero)
	text := ""
	switch billed := r.e.Type == document.Invoice || r.e.Type == document.CreditNote; {
	case r.e.Type == "" || r.e.Type == document.Contract:
	case len(items) == 0 && !billed:
		text = "no lines were read"
	case len(items) == 0 && len(r.amountRows()) > 1:
		text = "rows with amounts were not read as lines"
	case len(unread) > 0:
		text = "a row among the lines was not read"
	case skips(append(slices.Clone(items), none...)):
		text = "the numbers of the lines have a gap"
	case mixed(items):
		text = "one line has no unit, but all others do"
	}
	if text != "" {
		r.ask("line_items", text)
	}
}

// amountRows lists the rows that look like lines: several cells, one of them an amount, and no label of a sum or a rate.
func (r *reader) amountRows() (rows [][]cell) {
	const least, numbers = 3, 2
	heads := 0
	for i := 0; i < len(r.cells); {
		row := append([]cell{r.cells[i]}, right(r.cells, i)...)
		i += len(row)
		if sumHeads(row) {
			heads = len(row)
		}
		valued := 0
		for _, c := range row {
			valued += bit(len(c.amounts()) > 0)
		}
		_, taxed := taxRow(r.cells, row)
		if !taxed && len(row) != heads && len(row) >= least && valued >= numbers && priced(row) && !labelsSum(row) {
			rows = append(rows, row)
		}
	}
	return rows
}

// priced reports whether an amount of money stands in a row.
func priced(row []cell) bool {
	return slices.ContainsFunc(row, func(c cell) bool { return len(moneyIn(c)) > 0 })
}

func labelsSum(row []cell) bool {
	return slices.ContainsFunc(row, func(c cell) bool { kind, _ := labelOf(c.Text); return kind != "" || c.carries() })
}

var position = lazy.Regexp(`^(\d{1,6})(?: |$)`)

// skips reports whether the numbers of lines skip one: the least step between two is the usual one, and the first
// number, too.
func skips(items []item) bool {
	const most = 2
	step, before, all := 0, 0, []int(nil)
	slices.SortFunc(items, func(a, b item) int { return cmp.Compare(a.row[0].at, b.row[0].at) })
	for _, it := range items {
		m := position().FindStringSubmatch(it.cells["position"].Text)
		if m == nil {
			return false
		}
		n, _ := strconv.Atoi(m[1])
		if n <= before {
			return false
		}
		if all = append(all, n-before); step == 0 || n-before < step {
			step = n - before
		}
		before = n
	}
	usual := step == 1 || step == 10 || step == 100
	return usual && len(all) > 1 && all[0] <= most*step && slices.ContainsFunc(all, func(n int) bool { return n != step })
}

// mixed reports whether a single line has no unit, so that its quantity may be another column's.
func mixed(items []item) bool {
	without := 0
	for _, it := range items {
		if !it.line.Amount.IsZero() {
			return false // the amounts show it
		}
		without += bit(it.line.Unit == "" && !it.line.Quantity.IsZero())
	}
	return len(items) > 2 && without == 1
}
