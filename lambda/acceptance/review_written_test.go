package acceptance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/playbook"
	"matchbook/lambda/review/quote"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"
	"matchbook/lambda/review/whole"

	"github.com/google/uuid"
)

// measured is what a review made of a written contract.
type measured struct {
	held, across    int // risks within a clause, and of two
	findings, notes int // notes: findings for information
	toCheck         int // questions to a person
	unread          int
	calls, tokens   int
	shared, prompt  int // bytes of questions; shared with the beginning of another one
	lost, wrong     []string
}

// TestWrittenContracts replays the answers of a good model for ten contracts through the queue, the
// real function and PostgreSQL, and compares the findings with the risks that people labelled.
// Run it with -v for the table of each contract.
func TestWrittenContracts(t *testing.T) {
	t.Parallel()
	model := &replay{contracts: readWritten(t), asked: map[*written][]posed{}}
	d := newDesk(t, model.answer, variable.ModelPrice+"=1,10")
	d.starter.Price = price
	ids := map[*written]uuid.UUID{}
	for _, w := range model.contracts {
		ids[w] = d.begin(w)
	}
	d.finish()
	all := measured{}
	lines := []string{"| contract | risks of one clause | of two | findings a risk | of them notes | to check | unread clauses | calls | tokens | cacheable |"}
	for _, w := range model.contracts {
		m := d.measure(w, ids[w], model.asked[w])
		lines = append(lines, m.line(w.Name, len(w.Risks)))
		if m.unread > 0 || len(m.wrong) > 0 {
			t.Errorf("%s: %d clauses are unread, %d harmless ones have a finding: %q", w.Name, m.unread, len(m.wrong), m.wrong)
		}
		t.Logf("%s: lost %v", w.Name, m.lost)
		all.add(m)
	}
	t.Log("\n" + strings.Join(append(lines, all.line("all", 120)), "\n"))
	if float64(all.held+all.across) < 0.9*120 || all.held+all.across+len(all.lost) != 120 || float64(all.findings+all.notes) > 1.3*120 {
		t.Errorf("%d of the risks of one clause and %d of two are held by %d findings and %d notes, %d are lost", all.held, all.across,
			all.findings, all.notes, len(all.lost))
	}
}

// begin starts the review of a contract for a new tenant with a playbook of our side.
func (d *desk) begin(w *written) uuid.UUID {
	d.t.Helper()
	sided := strings.Replace(string(playbook.Default()), `"side": "customer"`, fmt.Sprintf(`"side": %q`, w.Facts.Side), 1)
	return must.Get(d.starter.Start(d.t.Context(), review.Request{TenantID: uuid.New(), Name: w.Name, Text: w.Text,
		Playbook: []byte(sided)}))(d.t)
}

func (d *desk) measure(w *written, id uuid.UUID, questions []posed) (m measured) {
	d.t.Helper()
	job := must.Get(reviews.New(d.DB).Job(d.t.Context(), id))(d.t)
	check(d.t, w.Name+": calls", job.Calls, len(questions))
	if ratio := float64(job.Estimate) / float64(job.Cost); ratio > 1.5 || ratio < 1/1.5 {
		d.t.Errorf("%s: the estimate is %.2f times the cost", w.Name, ratio)
	} else {
		d.t.Logf("%s: the estimate is %.2f times the cost", w.Name, ratio)
	}
	check(d.t, w.Name+": card", d.card(id), w.Facts.card())
	found := must.Get(reviews.New(d.DB).Findings(d.t.Context(), id, 0, 10_000))(d.t)
	found = slices.DeleteFunc(found, func(f record.Finding) bool { return f.Withdrawn })
	for _, f := range found {
		switch {
		case f.Repeats != 0: // shown with the finding that it repeats
		case f.Analyst == whole.Doubts:
			m.toCheck++
		case f.Severity == record.Info: // folded
			m.notes++
		default:
			m.findings++
		}
	}
	for _, r := range w.Risks {
		m.hold(r, w.Text, found)
	}
	for _, quote := range w.Harmless {
		if !stands(w.Text, quote) {
			d.t.Errorf("%s: no clause has the words %q", w.Name, quote)
		}
		if slices.ContainsFunc(found, func(f record.Finding) bool { return touches(f, w.Text, quote) }) {
			m.wrong = append(m.wrong, quote)
		}
	}
	m.calls = len(questions)
	for _, q := range questions {
		m.tokens += (len(q.prompt) + len(q.answer)) / 4
	}
	m.unread = unreadIn(w.Text, questions)
	m.shared, m.prompt = cacheable(questions)
	return m
}

// card returns a review's parties and days.
func (d *desk) card(id uuid.UUID) string {
	d.t.Helper()
	c := must.Get(report.Read(d.t.Context(), reviews.New(d.DB), id))(d.t).Card
	var parties []string
	for _, p := range c.Parties {
		parties = append(parties, fmt.Sprint(p.Name, " ", p.Term, " ", p.Ours))
	}
	return fmt.Sprint(parties, " from ", c.Effective, " to ", c.End, ", notice by ", c.LastNotice)
}

func (f writtenFacts) card() string {
	var parties []string
	for _, p := range f.Parties {
		parties = append(parties, fmt.Sprint(p.Name, " ", p.Defined, " ", p.Ours))
	}
	return fmt.Sprint(parties, " from ", f.Starts, " to ", f.Ends, ", notice by ", f.LastNotice)
}

// hold counts a risk that a finding shows: on its topic, at each of its quotes.
func (m *measured) hold(r risk, text string, found []record.Finding) {
	held := slices.ContainsFunc(found, func(f record.Finding) bool {
		return f.Category == r.Topic && !slices.ContainsFunc(r.Quotes, func(q string) bool { return !touches(f, text, q) })
	})
	switch {
	case !held:
		m.lost = append(m.lost, r.ID)
	case len(r.Quotes) > 1:
		m.across++
	default:
		m.held++
	}
}

// touches reports whether a finding quotes a part of the passage in one of its two clauses.
func touches(f record.Finding, text, passage string) bool {
	start, end, ok := quote.Find(text, passage)
	return ok && (f.Quote != "" && f.Start < end && start < f.End || f.Second != "" && f.SecondStart < end && start < f.SecondEnd)
}

// unreadIn counts the paragraphs that no analyst was asked about.
func unreadIn(text string, questions []posed) (n int) {
	var shown strings.Builder
	for _, a := range questions {
		if slices.ContainsFunc(a.stages, func(s record.Stage) bool { return s != record.Categories }) {
			shown.WriteString(dense(a.passage) + "\n")
		}
	}
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if !strings.Contains(shown.String(), dense(paragraph)) {
			n++
		}
	}
	return n
}

// cacheable returns the bytes of the questions that begin another one too, and all bytes. Sorted,
// the questions that share the longest beginnings are neighbours.
func cacheable(questions []posed) (shared, all int) {
	var prompts []string
	for _, a := range questions {
		prompts = append(prompts, a.prompt)
		all += len(a.prompt)
	}
	slices.Sort(prompts)
	for i := 1; i < len(prompts); i++ {
		n := 0
		for n < min(len(prompts[i-1]), len(prompts[i])) && prompts[i-1][n] == prompts[i][n] {
			n++
		}
		shared += n
	}
	return shared, all
}

func (m *measured) add(other measured) {
	for sum, n := range map[*int]int{&m.held: other.held, &m.across: other.across, &m.findings: other.findings, &m.notes: other.notes, &m.toCheck: other.toCheck,
		&m.unread: other.unread, &m.calls: other.calls, &m.tokens: other.tokens, &m.shared: other.shared, &m.prompt: other.prompt} {
		*sum += n
	}
	m.lost = append(m.lost, other.lost...)
}

func (m *measured) line(name string, risks int) string {
	return fmt.Sprintf("| %s | %d | %d | %.2f | %d | %d | %d | %d | %d | %d %% |", name, m.held, m.across,
		float64(m.findings+m.notes)/float64(risks), m.notes, m.toCheck, m.unread, m.calls, m.tokens, 100*m.shared/max(m.prompt, 1))
}
