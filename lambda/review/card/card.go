// Package card makes the card of a contract: the facts that a reader of any clause needs. One
// question reads the whole contract, or its head and outline if it is too long. Without a model,
// rules fill what they can (see whole.Facts).
//
// You must treat the contract and the answer as hostile. A fact with a quote missing from the
// contract is dropped and counted. Days are computed here, never taken from a model.
package card

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/record"
)

// Limits of the text before a passage, in characters: about 400 tokens for the card, 200 for the
// outline, and 200 for the defined terms.
const (
	mostCard    = 1_600
	mostOutline = 640
	mostTerms   = 800
	mostTerm    = 300 // of a definition
	mostLine    = 240 // of a fact
)

// Brief returns the text of questions about a passage from start to end, before the passage: the
// side, the card, the outline, and the terms that the passage uses but defines elsewhere. It is
// equal for all questions about the passage, and its beginning for all passages.
func Brief(c record.Card, side, passage string, start, end int) string {
	var b strings.Builder
	b.WriteString(Head(c, side))
	if used := termsOf(c, passage, start, end); used != "" {
		fmt.Fprintf(&b, "Terms that the passage uses, defined elsewhere:\n<<<terms\n%s\nterms>>>\n\n", used)
	}
	return b.String()
}

// Head is the beginning of a Brief that doesn't depend on the passage.
func Head(c record.Card, side string) string {
	var b strings.Builder
	b.WriteString(analyst.Side(side))
	for _, p := range c.Parties {
		if p.Ours {
			fmt.Fprintf(&b, " Our party: %s", shown(p.Name, mostLine))
			if p.Term != "" {
				fmt.Fprintf(&b, ", called “%s” in the contract", shown(p.Term, mostLine))
			}
			b.WriteString(".")
		}
	}
	b.WriteString("\n\n")
	if text := textOf(c); text != "" {
		how := "read from the whole contract"
		if !c.ByModel {
			how = "read by rules alone, so it may lack much"
		}
		fmt.Fprintf(&b, "The card of the contract, %s:\n<<<card\n%s\ncard>>>\n\n", how, text)
	}
	if outline := cut(shown(c.Outline, mostOutline), mostOutline); outline != "" {
		fmt.Fprintf(&b, "Its outline:\n<<<outline\n%s\noutline>>>\n\n", outline)
	}
	return b.String()
}

// textOf returns the card's lines, the most useful first, as far as they fit.
func textOf(c record.Card) string {
	var lines []string
	add := func(label, text string) {
		if text = shown(text, mostLine); text != "" {
			lines = append(lines, label+": "+text)
		}
	}
	add("Type", c.Type)
	for _, p := range c.Parties {
		name := p.Name
		if p.Term != "" {
			name += " (“" + p.Term + "”)"
		}
		if p.Role != "" {
			name += ", " + p.Role
		}
		add("Party", name)
	}
	add("Begins", c.Effective)
	add("Ends", c.End)
	add("First term", spanText(c.Term))
	add("Renewal", spanText(c.Renewal))
	add("Notice against renewal", spanText(c.Notice))
	add("Last day of this notice", c.LastNotice)
	add("Precedence", c.Precedence.Quote)
	for _, s := range c.Sums {
		add("Sum, "+shown(s.Name, mostLine/2), s.Quote)
	}
	for _, a := range c.Absent {
		add("Not seen", a.Name)
	}
	return fitting(lines, mostCard)
}

func spanText(s record.Span) string {
	if s.N == 0 {
		return ""
	}
	if s.N == 1 {
		return "1 " + s.Unit
	}
	return fmt.Sprintf("%d %ss", s.N, s.Unit)
}

// termsOf returns the definitions of the terms in a passage.
func termsOf(c record.Card, passage string, start, end int) string {
	var lines []string
	text := " " + words(passage) + " "
	for _, d := range c.Definitions {
		within := d.End > 0 && d.Start >= start && d.End <= end
		if used := words(d.Name); !within && used != "" && strings.Contains(text, " "+used+" ") {
			lines = append(lines, shown(d.Name, mostLine/2)+": "+shown(d.Quote, mostTerm))
		}
	}
	return fitting(lines, mostTerms)
}

// fitting joins the lines that fit.
func fitting(lines []string, most int) string {
	size := 0
	lines = slices.DeleteFunc(lines, func(l string) bool {
		fits := size+len(l) < most
		if fits {
			size += len(l) + 1
		}
		return !fits
	})
	return strings.Join(lines, "\n")
}

// shown returns foreign text on one line, without fences.
func shown(s string, most int) string { return llm.Unfenced(term.Clean(s, most)) }

func cut(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }
