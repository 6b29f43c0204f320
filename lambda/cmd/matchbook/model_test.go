package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/matchrun"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

func TestSampleWithOracle(t *testing.T) {
	t.Parallel()
	r := matchJSON(t, postgrestest.URL(t), cli.ExitOK, samples, "--model", "oracle")
	if got, want := linksOf(r), links(t); !slices.Equal(got, want) {
		t.Errorf("got %d matches, want %d\ngot  %v\nwant %v", len(got), len(want), got, want)
	}
	if r.Model.Mode != "oracle" || r.Model.Name != "scripted-oracle" || !strings.HasPrefix(r.Model.Note, "SCRIPTED: no real model was used") || r.Model.Server == nil {
		t.Errorf("got %+v", r.Model)
	}
}

// Rules alone leave five pairs of the sample open, at least; a model that compares
// what is printed decides them rightly, and nothing else wrongly.
func TestSampleWithScripted(t *testing.T) {
	t.Parallel()
	open := undecided(matchedOnce(t))
	for _, pair := range openPairs {
		if !slices.Contains(open, pair) {
			t.Errorf("rules do not leave %s open, only %v", pair, open)
		}
	}
	r := matchJSON(t, postgrestest.URL(t), cli.ExitOK, samples, "--model", "scripted")
	if got, want := linksOf(r), links(t); !slices.Equal(got, want) {
		t.Errorf("got %d matches, want %d\ngot  %v\nwant %v", len(got), len(want), got, want)
	}
	var byModel []string
	for _, m := range r.Matches {
		if m.DecidedBy == "model" {
			byModel = append(byModel, m.A.String()+","+m.B.String())
		}
	}
	slices.Sort(byModel)
	if open := undecided(r); !slices.Equal(byModel, openLinks) || len(open) != 0 {
		t.Errorf("by model %v, want %v; still open: %v", byModel, openLinks, open)
	}
}

// undecided lists the open questions that are not out of the question.
func undecided(r matchrun.Report) (list []string) {
	for _, o := range r.Open {
		if o.Score > 0 {
			list = append(list, o.A.String()+","+o.B.String())
		}
	}
	slices.Sort(list)
	return list
}

func TestModelReportCounts(t *testing.T) {
	t.Parallel()
	url, dir := postgrestest.URL(t), clitest.Ties(t, 2)
	m := matchJSON(t, url, cli.ExitOK, dir, "--model", "oracle").Model
	if m.Documents != 6 || m.Asking != 4 || m.Questions != 4 || m.Calls < 4 || m.PromptTokens == 0 || m.CompletionTokens == 0 || m.TokensPerDoc == 0 ||
		m.CallsPerDocument != float64(int(float64(m.Calls)/6*100+0.5))/100 {
		t.Errorf("got %+v", m)
	}
	if s := m.Server; s.Calls != m.Calls || s.Billed != m.Calls || s.PromptTokens != m.PromptTokens || s.CompletionTokens != m.CompletionTokens || len(s.Faults) != 0 {
		t.Errorf("the database has %+v, the server %+v", m, s)
	}
	// What was answered in an earlier run is not asked, nor counted, again.
	if again := matchJSON(t, url, cli.ExitOK, dir, "--model", "oracle", "--again"); again.Model.Calls != 0 || again.Model.PromptTokens != 0 || len(again.Matches) != 2 {
		t.Errorf("again: %d matches, %+v", len(again.Matches), again.Model)
	}
}

// permanent are the faults that no retry repairs, each with words of
// the error that it leaves in a document.
var permanent = map[scripted.Fault]string{
	scripted.Refusal: "refused to answer", scripted.FinishLength: "cut off", scripted.FinishFilter: "content filter",
	scripted.ContextLength: "too long for the model", scripted.BadRequest: "rejected the request",
	scripted.Unauthorized: "denied access (HTTP 401", scripted.Forbidden: "denied access (HTTP 403", scripted.NotFound: "unknown model or address",
}

// A fault that may pass is tried again, and one in ten calls never uses up all
// tries; one that comes back fails its document, and no other.
func TestFaultsSettle(t *testing.T) {
	t.Parallel()
	const groups, seed = 80, "7"
	r := matchJSON(t, postgrestest.URL(t), cli.ExitFindings, clitest.Ties(t, groups), "--model", "oracle", "--faults", seed)
	faults, final, failed := 0, 0, make(map[uuid.UUID]bool)
	for kind, n := range r.Model.Server.Faults {
		faults += n
		sentence, ok := permanent[scripted.Fault(kind)]
		if !ok {
			continue
		}
		final += n
		said := 0
		for _, d := range r.Documents {
			if strings.Contains(d.Error, sentence) {
				said++
				failed[d.ID] = true
			}
		}
		if said != n {
			t.Errorf("%q happened %d times, and %d documents say so", kind, n, said)
		}
	}
	t.Logf("seed %s: %d calls, %d faults, %d of them for good", seed, r.Model.Server.Calls, faults, final)
	if faults == final || final == 0 {
		t.Errorf("%d of %d faults are for good: nothing was tested", final, faults)
	}
	if a := r.Accounting; a.Published != 3*groups || a.Failed != final || a.Succeeded != a.Published-a.Failed || a.Pending+a.InDLQ != 0 {
		t.Errorf("%d faults for good, accounting %+v", final, a)
	}
	for _, d := range r.Documents {
		if d.Status != "succeeded" && d.AloneBecause != "" {
			t.Errorf("%s has failed, and is said to be alone: %s", d.ID, d.AloneBecause)
		}
	}
	found := linksOf(r)
	for g := range groups {
		order, first, second := clitest.ID(3*g), clitest.ID(3*g+1), clitest.ID(3*g+2)
		if slices.Contains(found, order.String()+","+first.String()) == failed[first] {
			t.Errorf("group %d: the true match is there: %v; its invoice failed: %v", g, !failed[first], failed[first])
		}
		// An invoice that failed competes with no other: rules may take the other one.
		if slices.Contains(found, order.String()+","+second.String()) && !failed[first] {
			t.Errorf("group %d: the second invoice is matched", g)
		}
	}
}

func TestModelUsageErrors(t *testing.T) {
	t.Parallel()
	line := clitest.Line("1", "invoice", "{}")
	dir, noLinks := clitest.WriteCorpus(t, line, "a_id,b_id\n"), clitest.WriteCorpus(t, line, "")
	// A server that is not there is not asked.
	wantRefused(t, "postgres://127.0.0.1:1/none", "", clitest.Refusals{
		{[]string{"match", dir, "--model", "human"}, `--model: invalid value "human": must be one of none, openai, scripted, oracle, noisy`},
		{[]string{"match", noLinks, "--model", "oracle"}, filepath.Join(noLinks, "links.csv") + " does not exist: an oracle needs the true links"},
		{[]string{"match", noLinks, "--model", "noisy"}, filepath.Join(noLinks, "links.csv") + " does not exist"},
		{[]string{"match", dir, "--faults", "7"}, "--faults must be used with --model scripted, oracle, noisy, yes or no"},
		{[]string{"match", dir, "--model", "none", "--faults", "7"}, "--faults must be used with --model scripted, oracle, noisy, yes or no"},
		{[]string{"match", dir, "--model", "noisy", "--noise", "-0.1"}, "--noise must be between 0 and 1"},
		{[]string{"match", dir, "--model", "noisy", "--noise", "NaN"}, "--noise must be between 0 and 1"},
		{[]string{"match", dir, "--model", "oracle", "--noise", "0.1"}, "--noise must be used with --model noisy"},
		{[]string{"match", dir, "--model", "openai"}, "--model openai: missing OPENAI_API_KEY or OPENAI_BASE_URL"},
	})
}

// The function uses the model that the environment names, and shows nothing of it.
func TestModelVariables(t *testing.T) {
	t.Parallel()
	const key, model = "sk-never-to-be-seen", "the-model"
	server := must.Get(scripted.Start(t.Context(), scripted.Options{Mind: func(scripted.Question) string { return `{"matches":[]}` }, Key: key}))(t)
	defer server.Close()
	url, logs := postgrestest.URL(t), filepath.Join(t.TempDir(), "logs")
	env := map[string]string{variable.DatabaseURL: url, variable.OpenAIBaseURL: server.URL(), variable.OpenAIKey: key, variable.OpenAIModel: model}
	code, out, errOut := clitest.RunIn(t.Context(), run, env, "match", clitest.Ties(t, 1), "--database", "--logs", logs)
	if code != cli.ExitOK {
		t.Fatalf("exit status %d\n%s", code, errOut)
	}
	if calls := server.Calls(); len(calls) < 2 || calls[0].Refused != "" || calls[0].Status != 200 {
		t.Errorf("the model was asked %+v", calls)
	}
	logged, _ := os.ReadFile(logs)
	if all := out + errOut + string(logged); strings.Contains(all, key) || strings.Contains(all, server.URL()) {
		t.Errorf("the key or the address was shown:\n%s", all)
	}
	if !strings.Contains(out, "MODEL      openai, as the-model\n") || strings.Contains(out, "SCRIPTED") {
		t.Errorf("got\n%s", out)
	}
}
