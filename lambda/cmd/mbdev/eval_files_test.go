package main

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/eval/ingesteval"
)

// The samples have four PDFs. One has an e-invoice, and its page shows the same values.
func TestEvalFiles(t *testing.T) {
	t.Parallel()
	args := []string{"eval", "--files", "../../../testdata/files"}
	code, out, errOut := clitest.RunIn(t.Context(), run, nil, append(args, "--json")...)
	var r ingesteval.Result
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != cli.ExitOK {
		t.Fatalf("exit status %d, %v\n%s", code, err, errOut)
	}
	if r.Files != 1 || r.Without != 3 || r.Passed != 1 || r.People != 0 || r.Lines != 1 || r.WithLines != 1 || len(r.Wrong) != 0 {
		t.Errorf("got %+v", r)
	}
	if _, out, _ := clitest.RunIn(t.Context(), run, nil, args...); !strings.Contains(out, "\n  passed          1 (100.0 %)\n") {
		t.Errorf("got\n%s", out)
	}
}

func TestEvalFilesRefusals(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"missing PDFs in ../../../testdata/eval":         {"../../../testdata/eval"},
		"--files and --contracts are mutually exclusive": {"../../../testdata/files", "--contracts"},
		"--worst and --files are mutually exclusive":     {"../../../testdata/files", "--worst", "3"},
	} {
		code, _, errOut := clitest.RunIn(t.Context(), run, nil, append([]string{"eval", "--files"}, args...)...)
		if code != cli.ExitError || !strings.Contains(errOut, want) {
			t.Errorf("%v: exit status %d, %q, want %q", args, code, errOut, want)
		}
	}
}
