package report

import (
	"context"
	"fmt"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/whole"

	"github.com/google/uuid"
)

// cardOf reads a review's card. Without one, such as without a model, rules make it.
func cardOf(ctx context.Context, s Store, id uuid.UUID, text string) (record.Card, error) {
	card, positions, err := s.Card(ctx, id)
	if err != nil || card != nil {
		return value(card), err
	}
	side, _ := playbook.Parse(positions) // without a side no party is ours
	return whole.Facts(text, func(name string) bool { return side.SideOf(name) > 0 }), nil
}

func value(card *record.Card) (c record.Card) {
	if card != nil {
		c = *card
	}
	return c
}

// fact is a line about a contract from its card. Text is empty if the card doesn't know it.
type fact struct{ name, text string }

// factsOf returns the lines about parties, term, notice and fees, always in this order.
func factsOf(c record.Card) []fact {
	list := []fact{{"Parties", partiesOf(c)}, {"Term", termOf(c)}, noticeOf(c), {"Fees", feesOf(c)}}
	for i := range list {
		if !c.ByModel {
			list[i].name += ", by rules"
		}
	}
	return list
}

// CardLines returns what is known about the parties, the term, the notice and the fees.
func CardLines(c record.Card) (lines []string) {
	for _, f := range factsOf(c) {
		if f.text != "" {
			lines = append(lines, f.name+": "+f.text)
		}
	}
	return lines
}

func partiesOf(c record.Card) string {
	var list []string
	for _, p := range c.Parties {
		name := term.Clean(p.Name, mostBrief)
		if called := term.Clean(p.Term, mostBrief); called != "" && called != name {
			name += " (“" + called + "”)"
		}
		if p.Ours {
			name += ", our side"
		}
		list = append(list, name)
	}
	return strings.Join(list, "; ")
}

func termOf(c record.Card) string {
	var parts []string
	if c.Effective != "" {
		parts = append(parts, "from "+term.Clean(c.Effective, mostName))
	}
	if c.End != "" {
		parts = append(parts, "to "+term.Clean(c.End, mostName))
	}
	line := strings.Join(parts, " ")
	if first := spanOf(c.Term); first != "" {
		line = strings.TrimSpace(line + " (" + first + ")")
	}
	if again := spanOf(c.Renewal); again != "" {
		line = strings.TrimPrefix(line+", renewed by "+again, ", ")
	}
	return line
}

func noticeOf(c record.Card) fact {
	period := spanOf(c.Notice)
	if c.LastNotice == "" || period == "" {
		return fact{"Notice against renewal", period}
	}
	return fact{"Last day of notice", fmt.Sprintf("%s (%s before the end)", term.Clean(c.LastNotice, mostName), period)}
}

// mostFees bounds the sums on one line.
const mostFees = 3

func feesOf(c record.Card) string {
	var list []string
	for _, s := range c.Sums[:min(len(c.Sums), mostFees)] {
		text := term.Clean(s.Quote, mostBrief)
		if name := term.Clean(s.Name, mostWords); name != "" && c.ByModel { // rules name each the same
			text = name + " “" + text + "”"
		}
		list = append(list, text)
	}
	if more := len(c.Sums) - mostFees; more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; ")
}

func spanOf(s record.Span) string {
	if s.N == 0 {
		return ""
	}
	return plural.Of(s.N, s.Unit)
}
