package deadletter

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
)

// List has the letters of dead-letter queues.
type List struct {
	Letters []Letter `json:"letters"`
	// Unread names the functions without a queue in the configuration.
	Unread []string `json:"unread,omitempty"`
}

// shownLetters bounds the letters of a state that Text lists for a function.
const shownLetters = 10

// Text lists the letters by function and state, with what to do.
func (r *List) Text() string {
	p := &term.Page{}
	counts := map[[2]string]int{}
	total := map[string]int{}
	for _, l := range r.Letters {
		counts[[2]string{l.Function, l.State}]++
		total[l.State]++
	}
	shown := map[[2]string]int{}
	function := ""
	for _, l := range r.Letters {
		key := [2]string{l.Function, l.State}
		if l.Function != function {
			function = l.Function
			p.Line("%s: %d failed, %d without a row, %d waiting, %d done", function, counts[[2]string{function, Failed}],
				counts[[2]string{function, NoRow}], counts[[2]string{function, Waiting}], counts[[2]string{function, Done}])
		}
		switch shown[key]++; {
		case shown[key] <= shownLetters:
			l.print(p)
		case shown[key] == shownLetters+1:
			p.Line("  %-8s ... and %d more (--json lists them all)", l.State, counts[key]-shownLetters)
		}
	}
	for _, name := range r.Unread {
		p.Line("%s: not read, because its queue is not set", name)
	}
	if len(r.Letters) == 0 {
		p.Line("no dead letters")
	}
	if total[Failed]+total[NoRow] > 0 {
		p.Line("\nOnce the cause is fixed: matchbook dlq redrive --dry-run")
	}
	if total[Done] > 0 {
		p.Line("\nThe sweep drops the done ones within ten minutes. To end their alarm now: matchbook dlq drop")
	}
	return p.String()
}

func (l Letter) print(p *term.Page) {
	id := l.ID.String()
	if l.State == NoRow {
		id = "message " + term.Clean(l.MessageID, term.MaxValue)
	}
	line := fmt.Sprintf("  %-8s %s", l.State, id)
	if l.State == Failed {
		line += fmt.Sprintf("  %s, %s", cmp.Or(l.Kind, "unknown"), plural.Of(l.Attempts, "attempt"))
	}
	if l.USD != nil {
		line += fmt.Sprintf(", %.4f USD", *l.USD)
	}
	if l.ExpiresAt != nil {
		line += ", expires " + l.ExpiresAt.UTC().Format("2006-01-02 15:04Z")
	}
	p.Line("%s", line)
	if text := cmp.Or(l.Error, l.Why); text != "" {
		p.Hang("           ", text)
	}
}

// Succeeded reports whether no dead letter waits for a person.
func (r *List) Succeeded() bool {
	for _, l := range r.Letters {
		if l.State == Failed || l.State == NoRow {
			return false
		}
	}
	return true
}

// Dropped counts dropped dead letters.
type Dropped struct {
	DryRun  bool           `json:"dry_run"`
	Dropped int            `json:"dropped"`
	By      map[string]int `json:"by_function"`
	Kept    int            `json:"kept"` // not done
}

// Text returns the counts for people.
func (r *Dropped) Text() string {
	verb := "dropped"
	if r.DryRun {
		verb = "would drop"
	}
	return fmt.Sprintf("%s %s, kept %d that need work\n", verb, plural.Of(r.Dropped, "dead letter"), r.Kept)
}

// Redriven counts redriven dead letters.
type Redriven struct {
	DryRun      bool           `json:"dry_run"`
	Selected    int            `json:"selected"`
	Kinds       map[string]int `json:"kinds"` // of the selected ones
	Redriven    int            `json:"redriven"`
	FailedAgain int            `json:"failed_again"` // so far, of the last function
	Others      int            `json:"others"`       // selected, but not failed
	Left        int            `json:"left"`         // not reached
	Stopped     string         `json:"stopped,omitempty"`
}

// Text returns the counts for people.
func (r *Redriven) Text() string {
	p := &term.Page{}
	if r.DryRun {
		p.Line("%s would be redriven", plural.Of(r.Selected, "dead letter"))
		for _, kind := range slices.Sorted(maps.Keys(r.Kinds)) {
			p.Line("%7d  %s", r.Kinds[kind], kind)
		}
	} else {
		p.Line("%s: redriven %d, failed again so far %d, left %d", plural.Of(r.Selected, "dead letter"), r.Redriven, r.FailedAgain, r.Left)
	}
	if r.Others > 0 {
		p.Line("%s not failed: matchbook dlq list", plural.Of(r.Others, "other"))
	}
	if r.Stopped != "" {
		p.Line("stopped: %s", r.Stopped)
	}
	return p.String()
}
