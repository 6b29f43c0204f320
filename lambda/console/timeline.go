package console

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres/report"
)

type event struct {
	At   time.Time
	What string
}

// Timeline lists a document's events, latest first.
func (d documentPage) Timeline() (list []event) {
	add := func(at *time.Time, format string, args ...any) {
		if at != nil {
			list = append(list, event{*at, fmt.Sprintf(format, args...)})
		}
	}
	doc := d.Document
	add(&d.Received.At, "received")
	add(doc.Published, "published for matching (latest time)")
	if doc.Status == "failed" {
		add(doc.Failed, "failed on attempt %d", doc.Attempts)
	}
	if f := doc.File; f != nil {
		add(f.Published, "file published for reading (latest time)")
		if f.Status == "failed" {
			add(f.Failed, "reading the file failed")
		}
	}
	for _, deed := range d.Deeds {
		add(&deed.At, "%s", deedWords(deed))
	}
	for _, n := range d.Notified {
		to := "not sent yet"
		if len(n.Channels) > 0 {
			to = "sent to " + strings.Join(n.Channels, " and ")
		}
		add(&n.At, "notification about attempt %d, %s: %s", n.Attempt, n.Kind, to)
	}
	slices.SortStableFunc(list, func(a, b event) int { return b.At.Compare(a.At) })
	return list
}

// fileDeeds are the words for what people do about a file.
var fileDeeds = map[string]string{"correct": "finished it", "read": "had its file read again",
	"approve": "approved it", "hold": "put it on hold", "dispute": "disputed it", "withdraw": "withdrew what was settled about it",
	"dismiss": "found no business document", "pages": "said at which pages the documents of its file begin"}

func deedWords(d report.Deed) string {
	by, note := term.Clean(d.By, term.MaxValue), term.Clean(d.Note, term.MaxText)
	if note != "" {
		note = ": " + note
	}
	if d.What == "reopen" {
		return "reopened" + note
	}
	if d.Other == nil {
		return by + " " + cmp.Or(fileDeeds[d.What], "had it matched again") + note
	}
	if warning.Kind(d.What).Sentence() != "" {
		return fmt.Sprintf("%s settled the warning %s with %s%s", by, d.What, d.Other, note)
	}
	what := d.What // confirmed or rejected
	if what == "withdrawn" {
		what = "withdrew the verdict about"
	}
	return fmt.Sprintf("%s %s the match with %s%s", by, what, d.Other, note)
}
