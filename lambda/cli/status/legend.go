package status

import "matchbook/lambda/cli/term"

// Word is a word of the page.
type Word struct{ Word, Meaning string }

// Legend has the words of the page and their meanings; the help, the console and OPERATE.md show it.
var Legend = []Word{
	{"waiting", "the row is due, or waits for its next try; a worker takes it up by itself"},
	{"in work", "a worker has it, until its lease ends"},
	{"parked", "a model or an OCR that it needs is away; it goes on by itself once that is back"},
	{"overdue", "its message should have come; the sweep publishes it again"},
	{"stuck", "overdue, in work beyond its lease, or due for an hour; see whether anything runs"},
	{"failed", "given up, and nobody tries it again until a person publishes it"},
	{"oldest", "the time since the longest waiting row was due, parked ones aside"},
	{"messages", "in the row's queue; - without one, as with matchbook serve"},
	{"dead letters", "messages given up by the queue; their rows have failed, or are unknown"},
}

// LegendText is the Legend for the help.
func LegendText() string {
	p := &term.Page{Width: 88}
	for _, l := range Legend {
		p.Hang("  "+term.Pad(l.Word, 14), l.Meaning)
	}
	return p.String()
}
