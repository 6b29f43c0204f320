package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/eval/matcheval"
	"matchbook/lambda/postgres/postgrestest"
)

// Rules leave the order and its two invoices open; each invoice asks about the
// order, and the oracle says yes to one and no to the other.
func TestEvalOracle(t *testing.T) {
	t.Parallel()
	dir := clitest.Ties(t, 1)
	for _, tc := range []struct {
		model                             string
		matched, undecided, calls, byHand int
		precision                         string
	}{
		{"none", 0, 2, 0, 0, "-"},
		{"oracle", 1, 0, 2, 1, "1.0000"},
	} {
		code, out, errOut := mbdev(t, postgrestest.URL(t), "eval", dir, "--json", "--model", tc.model)
		var all []matcheval.Result
		if err := json.Unmarshal([]byte(out), &all); code != cli.ExitOK || err != nil || len(all) != 1 {
			t.Fatalf("%s: exit status %d, %v\n%s", tc.model, code, err, errOut)
		}
		m := all[0]
		got := fmt.Sprintln(m.Report.Edges, m.Report.Undecided, m.Model.Calls, m.Model.Decided.Matches, m.Model.Decided.Precision)
		if want := fmt.Sprintln(tc.matched, tc.undecided, tc.calls, tc.byHand, tc.precision); got != want {
			t.Errorf("%s: got %s, want %s", tc.model, got, want)
		}
		if got, asked := strings.Contains(m.Text(), "SCRIPTED"), tc.calls > 0; got != asked {
			t.Errorf("%s: the report is\n%s", tc.model, m.Text())
		}
	}
}

func TestEvalModelUsage(t *testing.T) {
	t.Parallel()
	dir := clitest.WriteCorpus(t, clitest.Line("1", "invoice", "{}"), "a_id,b_id\n")
	// A server that is not there is not asked.
	wantRefused(t, "postgres://127.0.0.1:1/none", "", clitest.Refusals{
		{[]string{"eval", dir, "--model", "openai"}, "--model openai: missing OPENAI_API_KEY or OPENAI_BASE_URL"},
		{[]string{"eval", dir, "--model", ""}, "create database"}, // as without
		{[]string{"eval", dir, "--model", "human"}, `--model: invalid value "human": must be one of`},
		{[]string{"eval", dir, "--model", "noisy", "--noise", "1.1"}, "--noise must be between 0 and 1"},
		{[]string{"eval", dir, "--faults", "7"}, "--faults must be used with"},
	})
}
