package score

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
)

// sold is a document of a supplier of gravel, with a date and one line.
func sold(t *testing.T, kind document.Type, number, date, price string) Document {
	t.Helper()
	return parsed(t, kind, object(`"number":"`+number+`"`, `"date":"`+date+`"`, `"supplier":{"name":"Kieswerk Rotach"}`,
		`"line_items":[{"sku":"K-16","description":"Kies 16/32","quantity":"17","unit_price":"`+price+`"}]`))
}

// A confirmed match shows what speaks against it, if that may be a habit.
func TestShownHabits(t *testing.T) {
	t.Parallel()
	order := sold(t, po, "B-1", "2026-03-09", "20")
	for name, tc := range map[string]struct {
		other Document
		want  string
	}{
		"nothing against it": {sold(t, inv, "R-1", "2026-03-10", "20"), ""},
		"days too early":     {sold(t, inv, "R-1", "2026-03-05", "20"), "invoices are dated before the purchase order"},
		"far too early":      {sold(t, inv, "R-1", "2026-01-05", "20"), "invoices are dated before the purchase order"},
		"another price":      {sold(t, inv, "R-1", "2026-03-10", "29"), "invoices have other prices than the purchase order"},
		"both":               {sold(t, oc, "A-1", "2026-01-05", "29"), "order confirmations have other prices than the purchase order, order confirmations are dated before the purchase order"},
	} {
		var got []string
		for _, fact := range Lessons(tc.other, order) {
			kind, words, source := Lesson(fact)
			if want := fmt.Sprintf(`the confirmed match of "B-1" and %q`, tc.other.Number); kind != "habit" || source != want {
				t.Errorf("%s: a %s by %s, want a habit by %s", name, kind, source, want)
			}
			got = append(got, words)
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

// Three confirmed matches make a habit, for these types. It speaks against none of the supplier's
// documents any more, and the confidence isn't high.
func TestHabits(t *testing.T) {
	t.Parallel()
	facts := func(is string, of document.Type, sources ...string) string {
		var lines []string
		for _, s := range sources {
			lines = append(lines, habit{is, po, of, [2]string{`"B` + s + `"`, `"R` + s + `"`}}.fact())
		}
		return strings.Join(lines, "\n")
	}
	const said = ` The supplier's invoices are dated before the purchase order, by the confirmed matches of "B1" and "R1", "B2" and "R2", "B3" and "R3".`
	for name, tc := range map[string]struct {
		known  string
		points int
		text   string
	}{
		"none":           {"", -30, ""},
		"two":            {facts("dates", inv, "1", "2"), -30, ""},
		"one, thrice":    {facts("dates", inv, "1", "1", "1"), -30, ""},
		"three":          {facts("dates", inv, "1", "2", "3"), 0, said},
		"another type's": {facts("dates", oc, "1", "2", "3"), -30, ""},
		"another habit":  {facts("prices", inv, "1", "2", "3"), -30, ""},
		"unknown":        {facts("colour", inv, "1", "2", "3"), -30, ""},
		"no fact":        {HabitPrefix + "{", -30, ""},
	} {
		for side := range 2 {
			a, b := sold(t, po, "B-9", "2026-03-09", "20"), sold(t, inv, "R-9", "2026-01-05", "20")
			before := scoredBothWays(t, a, b)
			of := []*Document{&a, &b}[side]
			of.Know(tc.known)
			p := scoredBothWays(t, a, b)
			date := p.Evidence[len(p.Evidence)-1]
			if !evDateOrder.Is(date) || date.Points != tc.points || !strings.HasSuffix(date.Text, tc.text) || p.Points != before.Points+30+tc.points {
				t.Errorf("%s: got %d points, %+v", name, p.Points, date)
			}
			if !Doubtful(p.Evidence) || Reversed(p.Evidence) != (tc.points < 0) {
				t.Errorf("%s: doubtful %t, reversed %t", name, Doubtful(p.Evidence), Reversed(p.Evidence))
			}
			if of.Know(""); scoredBothWays(t, a, b).Points != before.Points {
				t.Errorf("%s: withdrawn, something stays", name)
			}
		}
	}
}
