package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/cli/cost"
	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/match/warning"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Event is something that happened, in clean words.
type Event struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

// maxEvents bounds a timeline, and the deeds of people in it.
const maxEvents = 200

// Timeline lists a document's events, latest first: what is stored about it, its file, its attempts
// and its calls of models, and what people did.
func (d *Reader) Timeline(document uuid.UUID, prices *cost.ModelPrices) ([]Event, error) {
	list, err := d.events(report.OfDocument, document, prices)
	if err != nil {
		return nil, err
	}
	deeds, err := d.reports.Deeds(d.ctx, document, maxEvents)
	for _, deed := range deeds {
		list = append(list, Event{deed.At, deedWords(deed)})
	}
	return latestFirst(list), err
}

func (d *Reader) events(of report.Subject, id uuid.UUID, prices *cost.ModelPrices) ([]Event, error) {
	story, err := d.reports.Story(d.ctx, of, id, maxEvents)
	if err != nil {
		return nil, err
	}
	attempts, err := d.reports.Attempts(d.ctx, of, id, maxEvents)
	story, events := withAttempts(story, attempts)
	return latestFirst(append(eventsOf(story, prices), events...)), err
}

func latestFirst(list []Event) []Event {
	slices.SortStableFunc(list, func(a, b Event) int { return b.At.Compare(a.At) })
	return list
}

func eventsOf(story []report.Happening, prices *cost.ModelPrices) (list []Event) {
	for _, h := range story {
		h.Name, h.Detail = term.Clean(h.Name, term.MaxValue), term.Clean(h.Detail, term.MaxText)
		if words := happenings[h.Kind]; words != nil {
			list = append(list, Event{h.At, words(h, prices)})
		}
	}
	return list
}

// plain makes the words of a happening without details.
func plain(words string) func(report.Happening, *cost.ModelPrices) string {
	return func(report.Happening, *cost.ModelPrices) string { return words }
}

// happenings has the words of each kind.
var happenings = map[string]func(report.Happening, *cost.ModelPrices) string{
	"received":  plain("received"),
	"published": plain("published for matching (latest time)"),
	"failed": func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("failed on attempt %d%s", h.N, because(h))
	},
	"file-published": plain("file published for reading (latest time)"),
	"file-begun": func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("reading the file began, attempt %d", h.N)
	},
	"file-completed": plain("file read"),
	"file-failed": func(h report.Happening, _ *cost.ModelPrices) string {
		return "reading the file failed" + because(h)
	},
	"asked": askedWords,
	"matched": func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("matched with %s by %s", h.Detail, h.Name)
	},
	"review": func(h report.Happening, _ *cost.ModelPrices) string {
		return "review started: " + cmp.Or(h.Detail, h.Name)
	},
	"event-waiting": eventWords("not accepted by the receiver yet"),
	"event-dead":    eventWords("given up"),
	"notified": func(h report.Happening, _ *cost.ModelPrices) string {
		to := "not sent yet"
		if h.Detail != "" {
			to = "sent to " + h.Detail
		}
		return fmt.Sprintf("notification about attempt %d, %s: %s", h.N, h.Name, to)
	},
	"letter-redrive": letterWords("redrove its dead letter"),
	"letter-drop":    letterWords("dropped its dead letter"),
	"review-begun":   plain("first part begun"),
	"review-ended": func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("ended, %s: %s, %s, %.4f USD%s", h.Name, plural.Of(h.N, "finding"), plural.Of(h.M, "gap"), *h.USD, because(h))
	},
	"part-published": func(h report.Happening, _ *cost.ModelPrices) string { return part(h) + " published (latest time)" },
	"part-failed": func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("%s failed on attempt %d%s", part(h), h.M, because(h))
	},
	"stage-done": stageWords, "stage-failed": stageWords,
	"finding": func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("%s: %s finding of seq %d", h.Detail, h.Name, h.N)
	},
	"job":           plain("job queued"),
	"job-published": plain("published (latest time)"),
	"job-begun":     func(h report.Happening, _ *cost.ModelPrices) string { return fmt.Sprintf("attempt %d began", h.N) },
	"job-completed": plain("set completed"),
	"job-failed": func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("failed on attempt %d%s", h.N, because(h))
	},
	"job-skipped": func(h report.Happening, _ *cost.ModelPrices) string { return "skipped" + because(h) },
	"set-queued": func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("set queued for the receiver, %s so far%s", plural.Of(h.N, "try", "tries"), because(h))
	},
	"set-delivered": plain("set accepted by the receiver"),
	"offers-requeue": func(h report.Happening, _ *cost.ModelPrices) string {
		return h.Name + " had it tried again" + because(h)
	},
	"offers-refreeze": func(h report.Happening, _ *cost.ModelPrices) string {
		return h.Name + " had it composed with the profile as it was then" + because(h)
	},
}

func because(h report.Happening) string {
	if h.Detail == "" {
		return ""
	}
	return ": " + h.Detail
}

func part(h report.Happening) string {
	if h.Name == "whole" {
		return "the contract as a whole"
	}
	return fmt.Sprintf("part %d", h.N)
}

func askedWords(h report.Happening, prices *cost.ModelPrices) string {
	words := fmt.Sprintf("asked %s: %d and %d tokens", h.Name, h.N, h.M)
	if usd, known := prices.USD(h.Name, h.N, h.M); known {
		words += fmt.Sprintf(", %.4f USD", usd)
	}
	if h.Detail != "" {
		words += "; answer not used: " + h.Detail
	}
	return words
}

func stageWords(h report.Happening, _ *cost.ModelPrices) string {
	_, outcome, _ := strings.Cut(h.Kind, "-")
	return fmt.Sprintf("part %d, %s %s: %s, %.4f USD%s", h.N, h.Name, outcome, plural.Of(h.M, "call"), *h.USD, because(h))
}

func eventWords(state string) func(report.Happening, *cost.ModelPrices) string {
	return func(h report.Happening, _ *cost.ModelPrices) string {
		return fmt.Sprintf("event %s, %s, %s%s", h.Name, plural.Of(h.N, "try", "tries"), state, because(h))
	}
}

func letterWords(did string) func(report.Happening, *cost.ModelPrices) string {
	return func(h report.Happening, _ *cost.ModelPrices) string { return h.Name + " " + did + because(h) }
}

// fileDeeds are the words for what people do about a file.
var fileDeeds = map[string]string{"correct": "finished it", "read": "had its file read again",
	"comment": "commented", "approve": "approved it", "hold": "put it on hold", "dispute": "disputed it",
	"withdraw": "withdrew what was settled about it",
	"dismiss":  "found no business document", "pages": "said at which pages the documents of its file begin"}

func deedWords(d report.Deed) string {
	by, note := term.Clean(d.By, term.MaxValue), term.Clean(d.Note, term.MaxText)
	if note != "" {
		note = ": " + note
	}
	switch {
	case d.What == "assign" && note == "":
		return by + " assigned it to nobody"
	case d.What == "assign":
		return by + " assigned it to " + strings.TrimPrefix(note, ": ")
	case d.What == "reopen":
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
