package status

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/cli/explain"
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
	if o.Broken != "" {
		p.Hang("errors  ", "nothing is worked on: "+o.Broken)
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
	p.Line("\nNEXT")
	next := o.Next()
	if len(next) == 0 {
		p.Line("  nothing needs an operator")
	}
	for _, n := range next {
		act, commands, found := strings.Cut(n, "\n")
		p.Hang("  ", act)
		if found { // not folded, to be copied
			p.Line("      %s", strings.ReplaceAll(commands, "\n", "\n      "))
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
	such := ""
	if e.Called != "" {
		such = "such as " + e.Called + ": "
	}
	return fmt.Sprintf("%s %s: %s (%smatchbook status %s)", plural.Of(e.Rows, e.function.Subject), state, e.Error, such, e.Example)
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

// Waiting counts the rows that wait for no service.
func (w Workload) Waiting() int { return w.Inserted + w.Pending - w.Parked }

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

// Next lists what needs an operator, a cause of much before its effects. Commands follow, each on a
// line, unless there is a short one.
func (o *Overview) Next() (list []string) {
	if stopped := o.stopped(); stopped != "" {
		list = append(list, stopped)
	}
	for _, h := range o.Holders {
		list = append(list, fmt.Sprintf("locks: end the transaction of process %[1]d:\n"+
			"psql \"$DATABASE_URL\" -c \"SELECT pg_terminate_backend(%[1]d)\"", h.Process))
	}
	if o.Clock != 0 {
		direction := "ahead of"
		if o.Clock < 0 {
			direction = "behind"
		}
		list = append(list, fmt.Sprintf("the database's clock is %s %s this machine's: synchronize both with NTP "+
			"(on this machine see timedatectl), and measure again:\nmatchbook doctor", term.Short(o.Clock.Abs()), direction))
	}
	list = append(list, o.remedies()...)
	failed, dead, stuck := 0, 0, 0
	for _, w := range o.Workloads {
		failed, stuck = failed+w.Failed, stuck+w.Overdue+w.Lapsed
		if w.Queue == nil {
			continue
		}
		if dead += w.Queue.DeadLetters; w.Queue.Error != "" {
			list = append(list, "the queue of "+w.Function+" does not answer: matchbook doctor"+o.ofStack())
		}
	}
	for _, n := range []struct {
		n             int
		noun, command string
	}{
		{failed, "failed row", "matchbook status --failed"},
		{stuck, "stuck row", "matchbook status --stuck"},
		{dead, "dead letter", "matchbook dlq list" + o.ofStack()},
	} {
		if n.n > 0 {
			list = append(list, plural.Of(n.n, n.noun)+": "+n.command)
		}
	}
	return append(list, o.undelivered()...)
}

// quiet is the time without any work after which waiting rows have a cause: nothing runs. In a
// healthy system a row is begun within seconds.
const quiet = 5 * time.Minute

// stopped describes that nothing runs; empty if something does, or nothing is due.
func (o *Overview) stopped() string {
	var due time.Duration
	waiting := 0
	for _, w := range o.Workloads {
		if w.InProgress > w.Lapsed {
			return ""
		}
		due, waiting = max(due, w.Oldest), waiting+w.Waiting()+w.Lapsed
	}
	since := "no row was ever begun"
	if o.Worked != nil {
		since = fmt.Sprintf("no row was begun since %s (%s ago)",
			o.Worked.At.UTC().Format("2006-01-02 15:04:05Z"), term.Short(o.Worked.Ago))
	}
	if explain.RemedyOf(o.Broken).Do != "" || due < quiet || o.Worked != nil && o.Worked.Ago < quiet || len(o.Holders) > 0 {
		return ""
	}
	start := "start matchbook serve, or, if it runs, read in its log what stops it, such as a full disk; in a stack let doctor find " +
		"the reason:\nsystemctl start matchbook\njournalctl -u matchbook -n 20\nmatchbook doctor --stack NAME"
	if o.stack != "" {
		start = "let doctor find the reason:\nmatchbook doctor" + o.ofStack()
	}
	return fmt.Sprintf("nothing runs: %s, and %s due for up to %s; %s", since,
		plural.Of(waiting, "row has been", "rows have been"), term.Short(due), start)
}

func (o *Overview) ofStack() string {
	if o.stack == "" {
		return ""
	}
	return " --stack " + o.stack
}

// remedies are the acts against the errors that don't pass by themselves, or have failed rows.
func (o *Overview) remedies() (list []string) {
	commands := map[explain.Remedy][]string{}
	var order []explain.Remedy
	note := func(err string, failed bool, again ...string) {
		r := explain.RemedyOf(err)
		if r.Do == "" || r.Passes && !failed {
			return
		}
		if !slices.Contains(order, r) {
			order = append(order, r)
		}
		commands[r] = append(commands[r], again...)
	}
	if o.Broken != "" {
		note(o.Broken, false)
	}
	for _, err := range o.unpaid {
		note(err, false)
	}
	for _, e := range o.Errors {
		if e.Failed {
			_, command, _ := strings.Cut(e.function.Repair.Again, ": ")
			note(e.Error, true, command)
		} else {
			note(e.Error, false)
		}
	}
	for _, r := range order {
		words := fmt.Sprintf("%s (%s): %s", strings.TrimRight(r.Words, ": ("), r.Cause, r.Do)
		if len(commands[r]) > 0 {
			words += "; then publish the failed rows again:\n" + strings.Join(commands[r], "\n")
		}
		list = append(list, words)
	}
	return list
}

// undelivered lists what receivers didn't accept.
func (o *Overview) undelivered() (list []string) {
	const again = "; see its answers, and once it works send everything at once:\nmatchbook events status\nmatchbook events requeue"
	repair := explain.RemedyOf("receiver").Do
	if at := o.Events.GoneAt; at != nil {
		list = append(list, "the receiver of events answered at "+at.UTC().Format("2006-01-02 15:04:05Z")+
			" that it is gone (HTTP 410), and gets nothing more: "+repair+again)
	}
	if o.Events.Dead > 0 {
		list = append(list, plural.Of(o.Events.Dead, "given-up event")+": "+repair+again)
	}
	if o.Events.Oldest > late {
		list = append(list, "an event has waited for "+term.Short(o.Events.Oldest)+": "+repair+again)
	}
	if o.Sets.Job != nil && o.Sets.Oldest > late {
		list = append(list, "a set of match offers has waited for "+term.Short(o.Sets.Oldest)+": "+repair+
			"; the sweep sends it again:\nmatchbook status "+o.Sets.Job.String())
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
			for _, text := range []string{row.Called, row.Error, waits(row.Waits)} {
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
