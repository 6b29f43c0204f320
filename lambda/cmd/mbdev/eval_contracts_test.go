package main

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
)

const leaseText = `LEASE

This Lease is an agreement made by and between Birch Ltd. and Jones.

Either party may terminate for convenience. This Lease is governed by the laws of Kenya.
`

func writeContracts(t *testing.T) (dir string) {
	t.Helper()
	labels := "Filename,Parties,Governing Law,Change of Control\nlease.pdf,['Birch Ltd.'],['Kenya.'],[]\n"
	return clitest.Folder(t, map[string]string{"labels.csv": labels, "txt/lease.txt": leaseText})
}

// evalContracts runs mbdev eval --contracts, without a database.
func evalContracts(t *testing.T, env map[string]string, args ...string) (code int, out, errOut string) {
	t.Helper()
	return clitest.RunIn(t.Context(), run, env, append([]string{"eval", "--contracts"}, args...)...)
}

func TestEvalContracts(t *testing.T) {
	t.Parallel()
	dir := writeContracts(t)
	for _, model := range []string{"none", "scripted"} {
		code, out, errOut := evalContracts(t, nil, dir, "--model", model, "--json")
		var r struct {
			Dir, Model             string
			Contracts, Calls, Gaps int
			All                    struct{ TP, FN int }
		}
		err := json.Unmarshal([]byte(out), &r)
		if code != cli.ExitOK || err != nil || r.Dir != dir || r.Model != model || r.Contracts != 1 || r.Gaps != 0 ||
			(r.Calls > 0) != (model != "none") || r.All.TP+r.All.FN != 2 {
			t.Errorf("--model %s: exit code %d, %v, %+v\n%s", model, code, err, r, errOut)
		}
	}
	code, out, errOut := evalContracts(t, nil, dir)
	if code != cli.ExitOK || !strings.Contains(out, "governing-law                   1    0    0    1.000      1.000") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
}

func TestEvalUnreadChunk(t *testing.T) {
	t.Parallel()
	env := map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "k", "LLM_RETRY_BASE": "1ms"}
	code, out, errOut := evalContracts(t, env, writeContracts(t), "--model", "openai")
	if code != cli.ExitFindings || !strings.Contains(out, "GAPS        1 chunk not read") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
}

func TestEvalContractsFlags(t *testing.T) {
	t.Parallel()
	dir := writeContracts(t)
	wantRefused(t, "", "eval --contracts", clitest.Refusals{
		{[]string{dir, "--limit", "3"}, "--limit and --contracts are mutually exclusive"},
		{[]string{dir, "--noise", "0.5"}, "--noise and --contracts are mutually exclusive"},
		{[]string{dir, "--model", "oracle"}, "unsupported --model oracle: it answers match questions only"},
		{[]string{dir, dir}, "--contracts takes one DIR"},
		{[]string{t.TempDir()}, "missing labels.csv in"},
		{[]string{dir, "--model", "x"}, "must be one of"},
	})
}
