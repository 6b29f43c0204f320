package matcheval

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document"
	"matchbook/lambda/eval"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/local/scripted"
)

// evalText writes a measurement for people.
type evalText struct {
	strings.Builder
	*Result
}

// Text returns the measurement for people.
func (m *Result) Text() string {
	t := &evalText{Result: m}
	t.header()
	t.pairs()
	t.shares()
	t.model()
	t.worst()
	t.line("")
	return t.String()
}

func (t *evalText) line(format string, args ...any) { fmt.Fprintf(t, format+"\n", args...) }

func (t *evalText) header() {
	what := t.Condition
	if t.Limit > 0 {
		what += ", the first " + plural.Of(t.Report.Documents, "document", "documents")
	}
	if t.Shuffle != 0 {
		what += fmt.Sprintf(", shuffled by seed %d", t.Shuffle)
	}
	t.line("CORPUS %s, %s", t.Corpus, what)
	var states []string
	for state, n := range t.States {
		states = append(states, fmt.Sprintf("%s %d", cmp.Or(state, "not published"), n))
	}
	slices.Sort(states)
	r := t.Report
	t.line("  documents   %d: %s", r.Documents, strings.Join(states, ", "))
	t.line("  pairs       %d true, %d matched, %d considered and not matched, of these %d undecided",
		r.Links, r.Edges, r.Suggestions, r.Undecided)
	t.line("  questions   %.0f for 1,000 documents; %d more folded away, %d of them true",
		1000*float64(r.Undecided-r.Folded.Of)/float64(max(r.Documents, 1)), r.Folded.Of, r.Folded.Count)
	t.line("  time        %.1f s, %.1f documents/s", t.Seconds, t.DocumentsPerSecond)
	for _, d := range t.NotSucceeded {
		state, name := strings.ToUpper(cmp.Or(d.State, "not published")), term.Label(d.Type, d.Number, d.ID)
		t.line("  %s after %s: %s %s: %s", state, plural.Of(d.Attempts, "attempt", "attempts"), name, d.ID, d.Error)
	}
	t.line("")
}

func (t *evalText) pairs() {
	const columns = "  %-38s %6v %6v %6v  %9s %9s %9s"
	row := func(name string, tp, fp, fn any, r eval.Rates) {
		t.line(columns, name, tp, fp, fn, r.Precision, r.Recall, r.F1)
	}
	t.line(columns, "", "tp", "fp", "fn", "precision", "recall", "F1")
	all := t.Report.Pairwise
	row("all pairs", all.TP, all.FP, all.FN, all.Rates)
	for _, p := range t.Report.TypePairs {
		row("  "+p.A.Words()+" - "+p.B.Words(), p.TP, p.FP, p.FN, p.Rates)
	}
	row("mean over the type pairs", "", "", "", t.Report.Macro)
	row("B-cubed, without contracts", "", "", "", t.Report.BCubed.Rates)
	t.line("")
}

func (t *evalText) shares() {
	r := t.Report
	row := func(name string, s eval.Share, of string) {
		t.line("  %-20s %s  %d of %d %s", name, s.Share, s.Count, s.Of, of)
	}
	t.candidates("candidate recall@10", r.CandidateRecall10, 10)
	t.candidates("candidate recall@50", r.CandidateRecall50, 50)
	row("abstention", r.Abstention, "documents without a true partner have no match")
	row("decided", r.Decided, "documents have a match, or nothing undecided")
	if r.ClustersDiffer.Count > 0 {
		row("WRONG CLUSTERS", r.ClustersDiffer, "documents are in a different cluster than their matches form")
	}
}

func (t *evalText) candidates(name string, s eval.Share, k int) {
	if s.Of == 0 {
		t.line("  %-20s -", name)
		return
	}
	t.line("  %-20s %s  %d of %d partners are among a document's first %d candidates", name, s.Share, s.Count, s.Of, k)
}

// model prints the counts of the model, if one was used.
func (t *evalText) model() {
	if t.Model.Mode == "" || t.Model.Mode == scripted.ModeNone {
		return
	}
	t.line("")
	t.line("  Model")
	for _, line := range t.Model.Lines() {
		t.line("    %s", line)
	}
	d := t.Model.Decided
	t.line("    decided by model: %s, %d of them true, precision %s", plural.Of(d.Matches, "match", "matches"), d.True, d.Precision)
	for _, a := range t.Model.Answers {
		t.line("    answered %-6s   %s, %d of them true, share %s", a.Confidence, plural.Of(a.Pairs, "pair", "pairs"), a.True, a.Share)
	}
}

func (t *evalText) worst() {
	for _, part := range []struct {
		kind  eval.Kind
		title string
		all   int
	}{
		{eval.FalsePositive, "wrong matches", t.Report.Pairwise.FP},
		{eval.FalseNegative, "missed links", t.Report.Pairwise.FN},
	} {
		list := slices.DeleteFunc(slices.Clone(t.Worst), func(m Mistake) bool { return m.Kind != part.kind })
		if len(list) == 0 {
			continue
		}
		t.line("")
		t.line("  Worst %s, %d of %d", part.title, len(list), part.all)
		for _, m := range list {
			t.mistake(m)
		}
	}
}

func (t *evalText) mistake(m Mistake) {
	score, defined := m.Score.Value()
	how := "never considered"
	switch {
	case m.Kind == eval.FalsePositive:
		how = fmt.Sprintf("%.2f %s by %s", score, m.Confidence, m.DecidedBy)
	case defined:
		how = fmt.Sprintf("%.2f", score)
	}
	a, b := term.Label(m.AType, m.ANumber, m.A), term.Label(m.BType, m.BNumber, m.B)
	if slices.Index(document.Types, m.BType) < slices.Index(document.Types, m.AType) {
		a, b = b, a
	}
	t.line("    %-20s %s -- %s", how, a, b)
	if m.Reasoning != "" {
		t.line("        %s", term.Clean(m.Reasoning, term.MaxText))
	}
}
