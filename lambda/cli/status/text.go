package status

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/postgres/report"
)

const (
	heading = "%-8s %8s %8s %7s %8s %7s  %-10s %8s %13s"
	late    = time.Hour // of an event or a set
)

// Text returns the overview for people.
func (o *Overview) Text() string {
	p := &term.Page{}
	of := "all tenants"
	if o.TenantID != nil {
		of = "tenant " + o.TenantID.String()
	}
	p.Line("%s, %s\n", o.At.Format("2006-01-02 15:04:05Z"), of)
	p.Line(heading, "", "waiting", "in work", "parked", "overdue", "failed", "oldest", "messages", "dead letters")
	for _, w := range o.Workloads {
		w.print(p)
	}
	p.Line("")
	for _, sentence := range o.Away {
		p.Hang("outage  ", sentence)
	}
	for _, e := range o.Errors {
		p.Hang("errors  ", e.Sentence())
	}
	for _, h := range o.Holders {
		p.Hang("locks   ", h.What)
	}
	var people []string
	for _, kind := range report.WaitingKinds {
		if n := o.People[kind]; n > 0 {
			people = append(people, fmt.Sprintf("%d %s", n, kind))
		}
	}
	p.Line("people  %s", cmp.Or(strings.Join(people, ", "), "nothing waits for them"))
	p.Hang("events  ", o.Events.Sentence())
	if o.Sets.Waiting > 0 {
		p.Hang("sets    ", o.WaitingSets())
	}
	p.Line("spent   %s", o.Spent())
	if next := o.Next(); len(next) > 0 {
		p.Line("\nNEXT")
		for _, n := range next {
			p.Line("  %s", n)
		}
	}
	return p.String()
}

// Sentence names the error and how to see more, for people.
func (e Errors) Sentence() string {
	state := "waiting for another try"
	if e.Failed {
		state = "failed"
	}
	return fmt.Sprintf("%s %s: %s (matchbook status %s)", plural.Of(e.Rows, e.subject), state, e.Error, e.Example)
}

// Sentence counts the events for people.
func (e Events) Sentence() string {
	return fmt.Sprintf("%d not accepted yet, %d given up", e.Waiting, e.Dead) + after(e.Error)
}

// WaitingSets counts the sets for people.
func (o *Overview) WaitingSets() string {
	return plural.Of(o.Sets.Waiting, "set") + " of match offers not accepted yet" + after(o.Sets.Error)
}

func after(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// Spent returns the spending of the day for people.
func (o *Overview) Spent() string {
	spent := fmt.Sprintf("%.4f USD today (UTC) in %s", o.USD, plural.Of(o.Calls, "call"))
	if o.Unpriced {
		spent += ", without models of unknown price"
	}
	return spent
}

// Waiting counts the pending rows that wait for no service.
func (w Workload) Waiting() int { return w.Pending - w.Parked }

func (w Workload) print(p *term.Page) {
	messages, dead, oldest := "-", "-", "-"
	if q := w.Queue; q != nil && q.Error == "" {
		messages, dead = strconv.Itoa(q.Messages), strconv.Itoa(q.DeadLetters)
	}
	if w.Oldest > 0 {
		oldest = term.Short(w.Oldest)
	}
	p.Line(heading, w.Function, strconv.Itoa(w.Waiting()), strconv.Itoa(w.InProgress), strconv.Itoa(w.Parked),
		strconv.Itoa(w.Overdue), strconv.Itoa(w.Failed), oldest, messages, dead)
	if w.Queue != nil && w.Queue.Error != "" {
		p.Hang("         ", "queue unknown: "+w.Queue.Error)
	}
}

// Next lists what needs an operator, each with its command.
func (o *Overview) Next() (list []string) {
	failed, dead, stuck, working := 0, 0, 0, 0
	for _, w := range o.Workloads {
		failed, stuck, working = failed+w.Failed, stuck+w.Overdue+w.Lapsed, working+w.InProgress-w.Lapsed
		if w.Queue == nil {
			continue
		}
		if dead += w.Queue.DeadLetters; w.Queue.Error != "" {
			list = append(list, "the queue of "+w.Function+" does not answer: matchbook doctor")
		}
	}
	ofStuck := "matchbook status --stuck"
	if working == 0 {
		ofStuck += "; nothing is in work, so first check that the functions, or matchbook serve, run"
	}
	for _, n := range []struct {
		n             int
		noun, command string
	}{
		{failed, "failed row", "matchbook status --failed"},
		{stuck, "stuck row", ofStuck},
		{dead, "dead letter", "matchbook dlq list"},
		{o.Events.Dead, "given-up event", "matchbook events status"},
	} {
		if n.n > 0 {
			list = append(list, plural.Of(n.n, n.noun)+": "+n.command)
		}
	}
	if o.Events.Oldest > late {
		list = append(list, "an event has waited for "+term.Short(o.Events.Oldest)+": matchbook events status")
	}
	if o.Sets.Job != nil && o.Sets.Oldest > late {
		list = append(list, "a set of match offers has waited for "+term.Short(o.Sets.Oldest)+": matchbook status "+o.Sets.Job.String())
	}
	for _, h := range o.Holders {
		list = append(list, fmt.Sprintf("locks: end the transaction of process %[1]d, or SELECT pg_terminate_backend(%[1]d)", h.Process))
	}
	if o.Clock != 0 {
		list = append(list, "the database's clock differs from this machine's by "+term.Short(o.Clock.Abs())+": matchbook doctor")
	}
	return list
}

// Word returns failed or stuck.
func (r *Rows) Word() string {
	if r.Stuck {
		return "stuck"
	}
	return "failed"
}

// Text lists the rows by function, with what to do about them.
func (r *Rows) Text() string {
	p := &term.Page{}
	word := r.Word()
	if len(r.Lists) == 0 {
		p.Line("no %s rows", word)
	}
	for i, l := range r.Lists {
		if i > 0 {
			p.Line("")
		}
		more := ""
		if l.More {
			more = "the latest "
		}
		p.Line("%s, %s%s", l.Function, more, plural.Of(len(l.Rows), word+" "+l.function.Subject))
		for _, row := range l.Rows {
			p.Line("  %s  %s  tenant %s", row.ID, cmp.Or(row.Kind, row.Status)+", "+plural.Of(row.Attempts, "attempt"), row.TenantID)
			for _, text := range []string{row.Error, waits(row.Waits)} {
				if text != "" {
					p.Hang("      ", text)
				}
			}
		}
		p.Line("  more: matchbook status ID")
		p.Hang("  do:   ", l.Do)
	}
	return p.String()
}

func waits(what string) string {
	if what == "" {
		return ""
	}
	return "waits " + what
}
