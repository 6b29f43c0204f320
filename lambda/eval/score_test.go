package eval_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

// num is a document's id; ids are in the order of their numbers.
func num(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-4000-8000-%012d", n))
}

// docs makes documents 1, 2, ... of types given by their first letters.
func docs(types string) (list []corpus.Document) {
	for i, short := range strings.Fields(types) {
		list = append(list, corpus.Document{ID: num(i + 1), Type: map[string]document.Type{
			"po": document.PurchaseOrder, "oc": document.OrderConfirmation, "dn": document.DeliveryNote, "gr": document.GoodsReceipt,
			"inv": document.Invoice, "cn": document.CreditNote, "ct": document.Contract}[short]})
	}
	return list
}

// pairs reads "1-2 3-4".
func pairs(text string) (list []corpus.Pair) {
	for _, p := range strings.Fields(text) {
		var a, b int
		if _, err := fmt.Sscanf(p, "%d-%d", &a, &b); err != nil {
			panic(err)
		}
		list = append(list, corpus.PairOf(num(a), num(b)))
	}
	return list
}

// edges makes edges of score 1.
func edges(text string) (list []eval.Edge) {
	for _, p := range pairs(text) {
		list = append(list, eval.Edge{Pair: p, Score: 1, Confidence: "high", DecidedBy: "rules"})
	}
	return list
}

func undecided(text string) (list []eval.Suggestion) {
	for _, p := range pairs(text) {
		list = append(list, eval.Suggestion{Pair: p, Score: 0.5, Undecided: true})
	}
	return list
}

func rates(r eval.Rates) string { return fmt.Sprintf("%s %s %s", r.Precision, r.Recall, r.F1) }

func counts(c eval.Counts) string {
	return fmt.Sprintf("%d %d %d: %s", c.TP, c.FP, c.FN, rates(c.Rates))
}

func share(s eval.Share) string { return fmt.Sprintf("%d of %d: %s", s.Count, s.Of, s.Share) }

func TestPairwise(t *testing.T) {
	t.Parallel()
	// Orders 1 2 3, invoices 4 5 6, receipt 7, contract 8.
	// order-invoice: right 1-4, 2-5; wrong 3-4; missed 3-6: tp 2, fp 1, fn 1:
	//   precision 2/3, recall 2/3, F1 4/6.
	// order-receipt: right 1-7: 1, 1, 1.
	// order-contract: missed 1-8: precision 0/0, recall 0/1, F1 0/1.
	// receipt-invoice: wrong 7-4: precision 0/1, recall 0/0, F1 0/1.
	// micro: tp 3, fp 2, fn 2: precision 3/5, recall 3/5, F1 6/10.
	// macro: precision (2/3+1+0)/3 = 5/9, recall (2/3+1+0)/3 = 5/9, F1 (2/3+1+0+0)/4 = 5/12.
	r := eval.Score(eval.Input{Documents: docs("po po po inv inv inv gr ct"),
		Links: pairs("1-4 2-5 3-6 1-7 1-8"), Edges: edges("1-4 5-2 3-4 1-7 7-4")})
	if got, want := counts(r.Pairwise), "3 2 2: 0.6000 0.6000 0.6000"; got != want {
		t.Errorf("micro: got %s, want %s", got, want)
	}
	if got, want := rates(r.Macro), "0.5556 0.5556 0.4167"; got != want {
		t.Errorf("macro: got %s, want %s", got, want)
	}
	var got []string
	for _, p := range r.TypePairs {
		got = append(got, fmt.Sprintf("%s, %s %s", p.A, p.B, counts(p.Counts)))
	}
	want := []string{
		"purchase-order, goods-receipt 1 0 0: 1.0000 1.0000 1.0000",
		"purchase-order, invoice 2 1 1: 0.6667 0.6667 0.6667",
		"purchase-order, contract 0 0 1: - 0.0000 0.0000",
		"goods-receipt, invoice 0 1 0: 0.0000 - 0.0000",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if r.Documents != 8 || r.Links != 5 || r.Edges != 5 {
		t.Errorf("got %d documents, %d links, %d edges", r.Documents, r.Links, r.Edges)
	}
}

func TestBCubed(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		types, links, edges string
		documents           int
		want                string
	}{
		// {1 2 3 4} is split in {1 2} and {3 4}: each of the four has precision
		// 2/2 and recall 2/4. {5} and {6} are merged: each has precision 1/2 and
		// recall 1/1. Precision (4*1 + 2*0.5)/6 = 5/6, recall (4*0.5 + 2*1)/6 =
		// 4/6, F1 2*(5/6)*(4/6)/(9/6) = 20/27.
		"one split, one merged": {"po dn gr inv po inv", "1-2 2-3 3-4", "1-2 3-4 5-6", 6, "0.8333 0.6667 0.7407"},
		// The contract 5 joins 1-2 and 3-4 neither in truth nor in what is
		// predicted, and is not counted itself. 3-4 is missed: precision 4/4,
		// recall (1 + 1 + 1/2 + 1/2)/4 = 3/4, F1 2*1*0.75/1.75 = 6/7.
		"a contract between two clusters": {"po inv po inv ct", "1-2 3-4 1-5 3-5", "1-2 1-5 3-5", 4, "1.0000 0.7500 0.8571"},
		// Everything stays alone: precision 1 each; recall 1/2 for 1 and 2, 1
		// for 3: 2/3. F1 2*(2/3)/(5/3) = 4/5.
		"empty prediction": {"po inv gr", "1-2", "", 3, "1.0000 0.6667 0.8000"},
		// The mirror image.
		"empty truth":    {"po inv gr", "", "1-2", 3, "0.6667 1.0000 0.8000"},
		"both empty":     {"po inv gr", "", "", 3, "1.0000 1.0000 1.0000"},
		"only contracts": {"ct ct", "", "", 0, "- - -"},
		"no document":    {"", "", "", 0, "- - -"},
	} {
		r := eval.Score(eval.Input{Documents: docs(tc.types), Links: pairs(tc.links), Edges: edges(tc.edges)})
		if got := rates(r.BCubed.Rates); got != tc.want || r.BCubed.Documents != tc.documents {
			t.Errorf("%s: got %s over %d, want %s over %d", name, got, r.BCubed.Documents, tc.want, tc.documents)
		}
	}
}

func TestUndefinedFigures(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ links, edges, want string }{
		"nothing predicted, something true": {"1-2", "", "0 0 1: - 0.0000 0.0000"},
		"something predicted, nothing true": {"", "1-2", "0 1 0: 0.0000 - 0.0000"},
		"nothing at all":                    {"", "", "0 0 0: - - -"},
	} {
		r := eval.Score(eval.Input{Documents: docs("po inv"), Links: pairs(tc.links), Edges: edges(tc.edges)})
		if got := counts(r.Pairwise); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
	raw := must.Get(json.Marshal(eval.Score(eval.Input{})))(t)
	want := `{"documents":0,"links":0,"edges":0,"suggestions":0,"undecided":0,"folded":{"count":0,"of":0,"share":null},` +
		`"pairwise":{"tp":0,"fp":0,"fn":0,"precision":null,"recall":null,"f1":null},` +
		`"macro":{"precision":null,"recall":null,"f1":null},"type_pairs":[],` +
		`"b_cubed":{"documents":0,"precision":null,"recall":null,"f1":null},` +
		`"candidate_recall_10":{"count":0,"of":0,"share":null},"candidate_recall_50":{"count":0,"of":0,"share":null},` +
		`"abstention":{"count":0,"of":0,"share":null},"decided":{"count":0,"of":0,"share":null},` +
		`"clusters_differ":{"count":0,"of":0,"share":null},"ece":null}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
}

func TestFiguresJSON(t *testing.T) {
	t.Parallel()
	r := eval.Score(eval.Input{Documents: docs("po inv inv"), Links: pairs("1-2"), Edges: edges("1-2 1-3")})
	raw := must.Get(json.Marshal(r))(t)
	var back eval.Report
	must.OK(t, json.Unmarshal(raw, &back))
	if v, ok := back.Pairwise.Precision.Value(); v != 0.5 || !ok || counts(back.Pairwise) != counts(r.Pairwise) {
		t.Errorf("got %s, want %s", counts(back.Pairwise), counts(r.Pairwise))
	}
	if _, ok := back.CandidateRecall10.Share.Value(); ok {
		t.Error("null became a number")
	}
	if err := json.Unmarshal([]byte(`{"pairwise":{"f1":"high"}}`), &back); err == nil {
		t.Error("a text became a figure")
	}
}

func TestCandidateRecall(t *testing.T) {
	t.Parallel()
	// Links 1-2 and 1-3: 4 directed pairs. Document 1 has 2 first and 3 in
	// place 11; 2 has 1 in place 10; 3 has 1 in place 51. Among the first 10:
	// 1->2, 2->1: 2/4. Among the first 50: also 1->3: 3/4.
	filler := func(n int, then ...uuid.UUID) (list []uuid.UUID) {
		for i := range n {
			list = append(list, num(1000+i))
		}
		return append(list, then...)
	}
	in := eval.Input{Documents: docs("po inv inv"), Links: pairs("1-2 1-3"), Candidates: map[uuid.UUID][]uuid.UUID{
		num(1): append([]uuid.UUID{num(2)}, filler(9, num(3))...),
		num(2): filler(9, num(1)),
		num(3): filler(50, num(1)),
	}}
	r := eval.Score(in)
	if got, want := share(r.CandidateRecall10)+", "+share(r.CandidateRecall50), "2 of 4: 0.5000, 3 of 4: 0.7500"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	in.Candidates = map[uuid.UUID][]uuid.UUID{} // known, and no document has any
	if got, want := share(eval.Score(in).CandidateRecall50), "0 of 4: 0.0000"; got != want {
		t.Errorf("no candidates: got %s, want %s", got, want)
	}
	in.Candidates = nil
	if got, want := share(eval.Score(in).CandidateRecall50), "0 of 0: -"; got != want {
		t.Errorf("unknown candidates: got %s, want %s", got, want)
	}
}

func TestAbstention(t *testing.T) {
	t.Parallel()
	// 1-2 is true. 3, 4, 5 have no partner; 4 was tied to 2: 2 of 3 were left.
	r := eval.Score(eval.Input{Documents: docs("po inv po po cn"), Links: pairs("1-2"), Edges: edges("4-2"), Suggestions: undecided("3-2")})
	if got, want := share(r.Abstention), "2 of 3: 0.6667"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDecided(t *testing.T) {
	t.Parallel()
	// 1-2 is an edge, 2-3 undecided, 4-5 refused: 1 and 2 have an edge, 3 waits,
	// nothing is undecided about 4, 5 and 6: 5 of 6.
	s := append(undecided("2-3"), eval.Suggestion{Pair: pairs("4-5")[0]})
	r := eval.Score(eval.Input{Documents: docs("po inv po po inv gr"), Edges: edges("1-2"), Suggestions: s})
	if got, want := share(r.Decided), "5 of 6: 0.8333"; got != want || r.Suggestions != 2 || r.Undecided != 1 {
		t.Errorf("got %s, %d suggestions, %d undecided, want %s, 2 and 1", got, r.Suggestions, r.Undecided, want)
	}
}

func TestFoldedQuestions(t *testing.T) {
	t.Parallel()
	s := undecided("1-2 1-3 3-4")
	s[0].Folded, s[1].Folded = true, true
	r := eval.Score(eval.Input{Documents: docs("po inv inv po"), Links: pairs("1-2"), Suggestions: s})
	if got, want := share(r.Folded), "1 of 2: 0.5000"; got != want || r.Undecided != 3 {
		t.Errorf("got %s of %d, want %s of 3", got, r.Undecided, want)
	}
}

func TestClustersDiffer(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		clusters map[uuid.UUID]uuid.UUID
		want     string
	}{
		"as the edges make them":   {map[uuid.UUID]uuid.UUID{num(1): num(1), num(2): num(1)}, "0 of 4: 0.0000"},
		"under another name":       {map[uuid.UUID]uuid.UUID{num(1): num(9), num(2): num(9)}, "0 of 4: 0.0000"},
		"split":                    {map[uuid.UUID]uuid.UUID{num(1): num(1)}, "2 of 4: 0.5000"},
		"one too many":             {map[uuid.UUID]uuid.UUID{num(1): num(1), num(2): num(1), num(3): num(1)}, "3 of 4: 0.7500"},
		"a contract is in one":     {map[uuid.UUID]uuid.UUID{num(1): num(1), num(2): num(1), num(4): num(1)}, "3 of 4: 0.7500"},
		"alone, in a cluster of 1": {map[uuid.UUID]uuid.UUID{num(1): num(1), num(2): num(1), num(3): num(3)}, "0 of 4: 0.0000"},
		"not known":                {nil, "0 of 0: -"},
	} {
		r := eval.Score(eval.Input{Documents: docs("po inv gr ct"), Edges: edges("1-2 1-4"), Clusters: tc.clusters})
		if got := share(r.ClustersDiffer); got != tc.want {
			t.Errorf("%s: got %s, want %s", name, got, tc.want)
		}
	}
}

func TestForeignPairsIgnored(t *testing.T) {
	t.Parallel()
	r := eval.Score(eval.Input{Documents: docs("po inv"), Links: pairs("1-2 1-3"), Edges: edges("1-2 2-3 4-5"), Suggestions: undecided("1-5")})
	if got, want := counts(r.Pairwise), "1 0 0: 1.0000 1.0000 1.0000"; got != want || r.Links != 1 || r.Edges != 1 || r.Suggestions != 0 {
		t.Errorf("got %s, %+v, want %s", got, r, want)
	}
}

func TestWorstFirst(t *testing.T) {
	t.Parallel()
	in := eval.Input{Documents: docs("po po po inv inv inv"), Links: pairs("1-4 1-5 1-6 2-5"),
		Edges: []eval.Edge{{Pair: pairs("3-4")[0], Score: 0.8, Confidence: "medium", DecidedBy: "rules"},
			{Pair: pairs("2-4")[0], Score: 0.8, Confidence: "medium", DecidedBy: "rules"},
			{Pair: pairs("3-5")[0], Score: 0.8, Confidence: "medium", DecidedBy: "rules"},
			{Pair: pairs("3-6")[0], Score: 0.9, Confidence: "high", DecidedBy: "model"},
			{Pair: pairs("2-5")[0], Score: 1}},
		Suggestions: []eval.Suggestion{{Pair: pairs("1-6")[0], Score: 0.6, Undecided: true}, {Pair: pairs("1-4")[0]}}}
	names := func(list []eval.Mistake) (text string) {
		for _, m := range list {
			text += fmt.Sprintf("%s %s-%s %s %s %s\n", m.Kind, m.A.String()[35:], m.B.String()[35:], m.Score, m.Confidence, m.DecidedBy)
		}
		return text
	}
	want := `false-positive 3-6 0.9000 high model
false-positive 2-4 0.8000 medium rules
false-positive 3-4 0.8000 medium rules
false-positive 3-5 0.8000 medium rules
false-negative 1-6 0.6000  
false-negative 1-4 0.0000  
false-negative 1-5 -  
`
	if got := names(eval.Score(in).Worst(10)); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	lines := strings.SplitAfter(want, "\n")
	if got, want := names(eval.Score(in).Worst(1)), lines[0]+lines[4]; got != want {
		t.Errorf("of each one: got\n%swant\n%s", got, want)
	}
	slices.Reverse(in.Documents)
	slices.Reverse(in.Links)
	slices.Reverse(in.Edges)
	if got := names(eval.Score(in).Worst(10)); got != want {
		t.Errorf("in another order: got\n%swant\n%s", got, want)
	}
	if got := eval.Score(in).Worst(0); len(got) != 0 || got == nil {
		t.Errorf("none: got %v", got)
	}
	raw, _ := json.Marshal(eval.Score(in).Worst(10)[6])
	if want := `{"kind":"false-negative","a":"` + num(1).String() + `","b":"` + num(5).String() + `","score":null}`; string(raw) != want {
		t.Errorf("got %s, want %s", raw, want)
	}
}
