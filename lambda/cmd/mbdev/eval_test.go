package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/eval"
	"matchbook/lambda/eval/matcheval"
	"matchbook/lambda/postgres/postgrestest"
)

// dozen is the corpus whose figures its page computes by hand.
const dozen = "../../../testdata/eval"

func TestEvalCorpus(t *testing.T) {
	t.Parallel()
	code, out, errOut := mbdev(t, postgrestest.URL(t), "eval", dozen, "--json", "--shuffle", "7")
	if code != cli.ExitOK {
		t.Fatalf("exit status %d\n%s", code, errOut)
	}
	var all []matcheval.Result
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 1 {
		t.Fatalf("%d measurements, %v", len(all), err)
	}
	m := all[0]
	if m.Corpus != dozen || m.Condition != "visible" || m.Shuffle != 7 || m.States["succeeded"] != 12 || len(m.NotSucceeded) != 0 || m.Seconds <= 0 || m.DocumentsPerSecond <= 0 {
		t.Errorf("got %+v", m)
	}
	evalFigures(t, m.Report)
	evalMistakes(t, m.Worst)
	if got := m.Text(); !strings.Contains(got, "CORPUS "+dozen+", visible, shuffled by seed 7\n  documents   12: succeeded 12\n") {
		t.Errorf("got\n%s", got)
	}
}

// The dozen has 4 links and 4 matches, 3 of them true.
func evalFigures(t *testing.T, r eval.Report) {
	t.Helper()
	rates := func(r eval.Rates) string { return fmt.Sprint(r.Precision, " ", r.Recall, " ", r.F1) }
	share := func(s eval.Share) string { return fmt.Sprintf("%d/%d %s", s.Count, s.Of, s.Share) }
	got := []string{fmt.Sprint(r.Documents, r.Links, r.Edges, r.Pairwise.TP, r.Pairwise.FP, r.Pairwise.FN)}
	got = append(got, rates(r.Pairwise.Rates), rates(r.Macro), fmt.Sprint(r.BCubed.Documents), rates(r.BCubed.Rates))
	for _, p := range r.TypePairs {
		got = append(got, fmt.Sprint(p.A, ", ", p.B, " ", p.TP, p.FP, p.FN, " ", rates(p.Rates)))
	}
	got = append(got, share(r.Abstention), share(r.Decided), share(r.ClustersDiffer))
	want := []string{
		"12 4 4 3 1 1",
		"0.7500 0.7500 0.7500", // 3/4, 3/4, 6/8
		"0.8333 0.8333 0.8333", // (1 + 1/2 + 1)/3
		"11",                   // without the contract
		"0.9091 0.9091 0.9091", // precision (9*1 + 2*1/2)/11, of 5 and 6; recall the same, of 7 and 8
		"purchase-order, order-confirmation 1 0 0 1.0000 1.0000 1.0000",
		"purchase-order, invoice 1 1 1 0.5000 0.5000 0.5000", // 1-2; 5-6; 7-8
		"purchase-order, contract 1 0 0 1.0000 1.0000 1.0000",
		"2/4 0.5000",   // of 5, 6, 11, 12: 11 and 12
		"12/12 1.0000", // nothing is undecided
		"0/12 0.0000",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Of the 8 directed pairs those of 7-8 can be found only by luck.
	if c := r.CandidateRecall10; c.Of != 8 || c.Count < 6 || r.CandidateRecall50.Count < c.Count {
		t.Errorf("candidate recall is %+v and %+v, want 6 of 8", c, r.CandidateRecall50)
	}
}

func evalMistakes(t *testing.T, worst []matcheval.Mistake) {
	t.Helper()
	if len(worst) != 2 {
		t.Fatalf("got %+v, want the one false positive and the one false negative", worst)
	}
	fp, fn := worst[0], worst[1]
	if fp.Kind != eval.FalsePositive || fp.Pair != corpus.PairOf(clitest.ID(5), clitest.ID(6)) || fp.ANumber != "2026/118" || fp.BType != "invoice" ||
		!strings.Contains(fp.Reasoning, "2026/118") || fp.DecidedBy == "" {
		t.Errorf("got %+v", fp)
	}
	if _, considered := fn.Score.Value(); considered || fn.Kind != eval.FalseNegative || fn.Pair != corpus.PairOf(clitest.ID(7), clitest.ID(8)) || fn.BNumber != "F-9913" {
		t.Errorf("got %+v", fn)
	}
}

func TestPageEval(t *testing.T) {
	t.Parallel()
	_, want := clitest.Shown(t, "go run ./lambda/cmd/mbdev eval testdata/eval")
	code, out, errOut := mbdev(t, postgrestest.URL(t), "eval", dozen)
	if code != cli.ExitOK {
		t.Fatalf("exit status %d\n%s", code, errOut)
	}
	clitest.WantShown(t, want, out)
}

func TestEvalFailure(t *testing.T) {
	t.Parallel()
	dir := clitest.WriteCorpus(t, clitest.Line("1", "purchase-order", `{"number":"A-1"}`)+
		clitest.Line("2", "invoice", `{"number":"A-2","total":"a lot"}`)+ // no amount
		clitest.Line("3", "invoice", `{"number":"A-\u0000"}`)+ // no text to PostgreSQL
		clitest.Line("4", "invoice", `{"number":"A-4"}`), "a_id,b_id\n")
	code, out, errOut := mbdev(t, postgrestest.URL(t), "eval", dir, "--limit", "3", "--worst", "0")
	if code != cli.ExitFindings {
		t.Errorf("exit status %d\n%s", code, errOut)
	}
	for _, want := range []string{
		"CORPUS " + dir + ", visible, the first 3 documents\n",
		"  documents   3: failed 1, not stored 1, succeeded 1\n",
		"  FAILED after 1 attempt: invoice A-2 " + clitest.ID(2).String() + ": ",
		"  NOT STORED after 0 attempts: invoice " + clitest.ID(3).String() + " " + clitest.ID(3).String() + ": ",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("got\n%s\nwant in it\n%s", out, want)
		}
	}
}

func TestEvalUsage(t *testing.T) {
	t.Parallel()
	document := clitest.Line("1", "invoice", "{}")
	noLinks, noCondition := clitest.WriteCorpus(t, document, ""), clitest.WriteCorpus(t, "", "a_id,b_id\n")
	malformed, malformedLink := clitest.WriteCorpus(t, document+"{\n", "a_id,b_id\n"), clitest.WriteCorpus(t, document, "a_id,b_id\nx,y\n")
	good := clitest.WriteCorpus(t, document, "a_id,b_id\n")
	// A server that is not there is not asked.
	wantRefused(t, "postgres://127.0.0.1:1/none", "eval", clitest.Refusals{
		{nil, "missing DIR: run mbdev eval DIR..."},
		{[]string{"/nowhere"}, "/nowhere does not exist"},
		{[]string{filepath.Join(good, "links.csv")}, "expected a folder, not the file"},
		{[]string{noLinks}, filepath.Join(noLinks, "links.csv") + " does not exist"},
		{[]string{noCondition}, filepath.Join(noCondition, "documents.visible.jsonl") + " does not exist"},
		{[]string{good, "--condition", "all"}, filepath.Join(good, "documents.corrupted.jsonl") + " does not exist"},
		{[]string{good, noLinks}, filepath.Join(noLinks, "links.csv") + " does not exist"},
		{[]string{malformed}, filepath.Join(malformed, "documents.visible.jsonl") + ":2: invalid JSON"},
		{[]string{malformedLink}, filepath.Join(malformedLink, "links.csv") + ":2: invalid a_id: not a UUID"},
		{[]string{good, "--condition", "visible,blurred"}, `invalid value "blurred": must be one of visible, corrupted, masked, all`},
		{[]string{good, "--condition", ""}, "missing --condition: must be one of visible, corrupted, masked, all"},
		{[]string{good, "--limit", "-1"}, "--limit must not be negative"},
		{[]string{good, "--worst", "-1"}, "--worst must not be negative"},
		{[]string{good}, "create database"},
	})
}
