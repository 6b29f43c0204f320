package byrules

import (
	"math/bits"
	"slices"
	"strings"

	"matchbook/lambda/document"
)

// charge is an amount for the whole document, printed below the lines.
type charge struct {
	text   string
	amount document.Amount // negative for a discount
	cells  []cell          // of the description and of the amount
}

// charges returns the rows between two cells that add up to rest. Words mark the rows; without
// them one row is enough if unmarked rows may count. It prefers more rows, because a summary
// may repeat them.
func (t table) charges(from, to int, rest document.Amount, unmarked bool) (best []charge) {
	const most = 10 // 2^10 subsets
	marked, others := t.below(from, to)
	if len(marked) > most {
		marked = marked[len(marked)-most:]
	}
	if best = subset(marked, rest); best == nil { // a credit note's
		for i := range marked {
			marked[i].amount = marked[i].amount.Negated()
		}
		best = subset(marked, rest)
	}
	for _, c := range others {
		if unmarked && best == nil && c.amount.Equal(rest) {
			return []charge{c}
		}
	}
	return best
}

// subset returns the most rows that add up to rest.
func subset(rows []charge, rest document.Amount) (best []charge) {
	for mask := uint(1); mask < 1<<len(rows); mask++ {
		if bits.OnesCount(mask) <= len(best) {
			continue
		}
		sum, chosen := document.Amount{}, []charge(nil)
		for i, c := range rows {
			if mask&(1<<i) != 0 {
				sum, chosen = sum.Plus(c.amount), append(chosen, c)
			}
		}
		if sum.Equal(rest) {
			best = chosen
		}
	}
	return best
}

// below lists the rows between two cells that may be charges, with a word for one or without.
func (t table) below(from, to int) (marked, others []charge) {
	const reach = 400 // cells
	for i := from + 1; i < min(to, len(t.cells), from+reach); {
		row := append([]cell{t.cells[i]}, right(t.cells, i)...)
		i += len(row)
		marked = append(marked, t.inHead(row)...)
		if c, ok := chargeIn(row); !ok {
			continue
		} else if charged().MatchString(c.text) || reduced().MatchString(c.text) {
			marked = append(marked, c)
		} else if worded(row[0]) {
			others = append(others, c)
		}
	}
	return marked, others
}

// inHead lists the charges named in a row of heads, with their amounts below.
func (t table) inHead(row []cell) (found []charge) {
	if !sumHeads(row) {
		return nil
	}
	for _, c := range row {
		u, ok := valueUnder(t.cells, c.at)
		money := moneyIn(u)
		less := reduced().MatchString(c.Text)
		if !ok || len(money) == 0 || !less && !charged().MatchString(c.Text) {
			continue
		}
		amount := money[len(money)-1].amount
		if less && amount.Sign() > 0 {
			amount = amount.Negated()
		}
		found = append(found, charge{c.Text, amount, []cell{c, u}})
	}
	return found
}

// chargeIn reads a row with words first and an amount last. Numbers in front of the words are of a table next to it.
func chargeIn(row []cell) (c charge, ok bool) {
	row = row[max(0, slices.IndexFunc(row, worded)):]
	first := row[0]
	kind, _ := labelOf(first.Text)
	if kind != "" || !worded(first) || first.carries() || early().MatchString(first.Text) {
		return c, false
	}
	for _, d := range row {
		for _, m := range moneyIn(d) {
			c.amount, c.cells, ok = m.amount, []cell{first, d}, true
		}
		if reduced().MatchString(d.Text) || charged().MatchString(d.Text) {
			c.text += " " + d.Text
		}
	}
	if c.text = strings.TrimSpace(c.text); c.text == "" {
		c.text = first.Text
	}
	if reduced().MatchString(c.text) && c.amount.Sign() > 0 {
		c.amount = c.amount.Negated()
	}
	return c, ok
}
