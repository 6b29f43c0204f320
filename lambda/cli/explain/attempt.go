package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// maxTries bounds the events of attempts in an explanation; see Story for more.
const maxTries = 20

// tries are the latest events of attempts, earliest first. They are empty unless an attempt failed
// or was taken over.
type tries []Event

// withTries adds the tries to a report about one row.
func (d *Reader) withTries(r Report, err error) (Report, error) {
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *chunks:
		r.Tries, err = d.tries(report.OfReview, r.Review)
	case *offerJob:
		r.Tries, err = d.tries(report.OfOffers, r.ID)
	case *Explanation:
		r.Tries, err = d.tries(report.OfDocument, r.Document.ID)
	}
	return r, err
}

func (d *Reader) tries(of report.Subject, id uuid.UUID) (list tries, err error) {
	tried, err := d.reports.Attempts(d.ctx, of, id, maxTries)
	if !slices.ContainsFunc(tried, func(a report.Attempt) bool { return a.Outcome != "succeeded" && (a.Ended != nil || a.Next != nil) }) {
		return nil, err
	}
	_, list = withAttempts(nil, tried)
	list = latestFirst(list)[:min(len(list), maxTries)]
	slices.Reverse(list)
	return list, err
}

func (t tries) text() string {
	p := &page{}
	if len(t) > 0 {
		p.Line("\nATTEMPTS")
	}
	p.events(t)
	return p.String()
}

func (p *page) events(list []Event) {
	for _, e := range list {
		p.Hang("  "+e.At.UTC().Format("2006-01-02 15:04:05Z")+"  ", e.What)
	}
}

// toldByAttempts are happenings that say no more than the attempt that began or ended then. They
// are needed for an attempt without a row, which was pruned or is older than the table.
var toldByAttempts = []string{"failed", "file-begun", "file-completed", "file-failed", "part-failed",
	"job-begun", "job-completed", "job-failed"}

// withAttempts adds the beginnings and ends of attempts to a story, for a stable sort by time.
func withAttempts(story []report.Happening, tried []report.Attempt) (rest []report.Happening, events []Event) {
	var times []time.Time
	for _, a := range tried {
		a.Worker, a.Request = term.Clean(a.Worker, term.MaxValue), term.Clean(a.Request, term.MaxValue)
		if a.Ended != nil {
			times, events = append(times, *a.Ended), append(events, Event{*a.Ended, workOf(a) + endWords(a)})
		}
		times, events = append(times, a.Claimed), append(events, Event{a.Claimed, workOf(a) + beginWords(a)})
	}
	rest = slices.DeleteFunc(slices.Clone(story), func(h report.Happening) bool {
		return slices.Contains(toldByAttempts, h.Kind) && slices.ContainsFunc(times, h.At.Equal)
	})
	return rest, events
}

func workOf(a report.Attempt) string {
	work := map[string]string{"document": "matching: ", "ingestion": "reading the file: ", "chunk": "the contract as a whole: "}[a.Subject]
	if a.Part > 0 {
		work = fmt.Sprintf("part %d: ", a.Part)
	}
	return fmt.Sprintf("%sattempt %d ", work, a.Number)
}

func beginWords(a report.Attempt) string {
	words := []string{"began"}
	if a.Worker != "" {
		words[0] += " on " + a.Worker
	}
	if a.Request != "" {
		words = append(words, "request "+a.Request)
	}
	words = append(words, "lease "+a.Until.Sub(a.Claimed).Round(time.Second).String())
	switch {
	case a.Ended == nil && a.Next != nil:
		words = append(words, fmt.Sprintf("no answer, taken over by attempt %d", *a.Next))
	case a.Ended == nil:
		words = append(words, "no answer yet")
	}
	return strings.Join(words, ", ")
}

func endWords(a report.Attempt) string {
	words := map[string]string{"": "ended", "pending": "ended"}[a.Outcome]
	words = cmp.Or(words, strings.ReplaceAll(a.Outcome, "cancelled", "was cancelled"))
	if a.Error != "" {
		words += ": " + term.Clean(a.Error, term.MaxText)
	}
	if a.Outcome == "pending" && a.Due != nil {
		words += "; again after " + a.Due.Sub(*a.Ended).Round(time.Second).String()
	}
	return words
}
