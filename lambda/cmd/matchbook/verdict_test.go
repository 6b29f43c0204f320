package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

const (
	order130   = "10000000-0000-4000-8000-000000001101"
	invoice130 = "10000000-0000-4000-8000-000000001102"
)

// A verdict is kept when its documents are published and matched again.
func TestVerdictsKept(t *testing.T) {
	t.Parallel()
	url, samples := postgrestest.URL(t), filepath.Join(samples, "nimmerholz")
	matchJSON(t, url, cli.ExitOK, samples)
	outcome := func(a, b string) string {
		t.Helper()
		p := decode[explain.Comparison](t, printed(t, url, "explain", "--json", a, b)).Pair
		if p.Note != "" {
			t.Errorf("%s, %s: %s", a, b, p.Note)
		}
		return p.Outcome + " by " + p.DecidedBy
	}

	wantText(t, printed(t, url, "confirm", "4500000130", "WK-9051", "--by", "anna", "--note", "by phone"), `
purchase order 4500000130           10000000-0000-4000-8000-000000001101
invoice WK-9051                     10000000-0000-4000-8000-000000001102
  was       out of the question: The suppliers' VAT ids differ: DE999011111 and DE999011187
  is        confirmed by a person
  appeared  no other match of the two
  vanished  no other match of the two
  cluster   of purchase order 4500000130
          + purchase order 4500000130           10000000-0000-4000-8000-000000001101
          + invoice WK-9051                     10000000-0000-4000-8000-000000001102
`)
	twice := printed(t, url, "confirm", "WK-9051", "4500000130")
	wantText(t, twice, `
invoice WK-9051                     10000000-0000-4000-8000-000000001102
purchase order 4500000130           10000000-0000-4000-8000-000000001101
  nothing changed: already confirmed by a person
`)
	matchJSON(t, url, cli.ExitOK, samples)
	if got := outcome(order130, invoice130); got != "matched by person" {
		t.Errorf("after matching again it is %s", got)
	}
	matched, _, _ := strings.Cut(explained(t, url, order130, "MATCHED"), "\nDECISIONS")
	wantText(t, matched, `
MATCHED (1)
  1.00 high by person       invoice WK-9051                     10000000-0000-4000-8000-000000001102
      The rules exclude it. The suppliers' VAT ids differ: DE999011111 and DE999011187.
       +60  The invoice cites the purchase order 4500000130.
`)

	wantText(t, printed(t, url, "reject", "4500000130", "WK-9051"), `
purchase order 4500000130           10000000-0000-4000-8000-000000001101
invoice WK-9051                     10000000-0000-4000-8000-000000001102
  was       matched by a person
  is        rejected by a person
  appeared  no other match of the two
  vanished  no other match of the two
  published 2 documents, to be matched again
  cluster   dissolved for purchase order 4500000130
  cluster   dissolved for invoice WK-9051
`)
	matchJSON(t, url, cli.ExitOK, samples)
	if got := outcome(order130, invoice130); got != "rejected by person" {
		t.Errorf("after matching again it is %s", got)
	}

	wantText(t, withoutTimes(explained(t, url, order130, "DECISIONS")), `
DECISIONS of people (2)
  TIME  rejected invoice WK-9051, by `+operator(noEnv)+`
  TIME  confirmed invoice WK-9051, by anna
      by phone
`)
	for range 2 {
		withdrawn := printed(t, url, "undecide", "4500000130", "WK-9051")
		matchJSON(t, url, cli.ExitOK, samples)
		if got := outcome(order130, invoice130); got != "out-of-the-question by rules" {
			t.Errorf("withdrawn, it is %s", got)
		}
		if want := "  is        out of the question: The suppliers' VAT ids differ: DE999011111 and DE999011187, since\n            the decision is withdrawn\n"; !strings.Contains(withdrawn, want) &&
			!strings.Contains(withdrawn, "nothing changed: no decision is stored about it") {
			t.Errorf("no %q in\n%s", want, withdrawn)
		}
	}
	c := decode[explain.Comparison](t, printed(t, url, "explain", "--json", order130, invoice130))
	var history []string
	for _, d := range c.Decisions {
		history = append(history, d.Verdict)
	}
	if want := []string{"withdrawn", "rejected", "confirmed"}; !slices.Equal(history, want) || c.Decisions[2].Note != "by phone" || c.Version == "" {
		t.Errorf("the history is %v, want %v, of version %q", history, want, c.Version)
	}
}

func noEnv(string) string { return "" }

func withoutTimes(s string) string {
	return regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\dZ`).ReplaceAllString(s, "TIME")
}

// explained returns the output of explain from a line on.
func explained(t *testing.T, url, doc, from string) string {
	t.Helper()
	out := printed(t, url, "explain", doc)
	i := strings.Index(out, from)
	if i < 0 {
		t.Fatalf("no %q in\n%s", from, out)
	}
	return out[i:]
}

// Two invoices fit one order: to reject one makes the other a match, and to
// confirm the one after all takes that back.
func TestVerdictRedecides(t *testing.T) {
	t.Parallel()
	url := matchedLamps(t)

	r := decode[explain.Change](t, printed(t, url, "reject", "--json", lampOrder, lampInvoice))
	if !r.Changed || r.Verdict != "rejected" || r.A.Number != "L-7001" || r.Before.Outcome != "undecided" || r.Now.Outcome != "rejected" ||
		len(r.Vanished) != 0 || len(r.Appeared) != 1 || r.Appeared[0].B.Number != "R-82" || r.Appeared[0].DecidedBy != "rules" {
		t.Errorf("got %+v", r)
	}
	if len(r.Clusters) != 1 || r.Clusters[0].Document != r.A.ID || len(r.Clusters[0].Before) != 0 || len(r.Clusters[0].Now) != 2 {
		t.Errorf("got %+v", r.Clusters)
	}
	same := decode[explain.Change](t, printed(t, url, "reject", "--json", lampInvoice, lampOrder))
	if same.Changed || same.Before.Outcome != "rejected" || same.Now.Outcome != "rejected" || len(same.Appeared)+len(same.Vanished)+len(same.Clusters) != 0 {
		t.Errorf("got %+v", same)
	}
	wantText(t, printed(t, url, "confirm", lampOrder, lampInvoice), `
purchase order L-7001               30000000-0000-4000-8000-000000000001
invoice R-81                        30000000-0000-4000-8000-000000000002
  was       rejected by a person
  is        confirmed by a person
  appeared  no other match of the two
  vanished  0.97 by rules purchase order L-7001 -- invoice R-82
  published 1 document, to be matched again
  cluster   of purchase order L-7001
            purchase order L-7001               30000000-0000-4000-8000-000000000001
          + invoice R-81                        30000000-0000-4000-8000-000000000002
          - invoice R-82                        30000000-0000-4000-8000-000000000003
`)
}

func TestVerdictRepeated(t *testing.T) {
	t.Parallel()
	url := matchedLamps(t)
	conn := postgrestest.Conn(t, url)
	rows := func() (versions []string) {
		t.Helper()
		for _, table := range []string{"document", "document_match", "match_suggestion", "match_pair"} {
			versions = append(versions, table+postgrestest.Value[string](t, conn, "SELECT coalesce(string_agg(xmin::text || ctid::text, ' ' ORDER BY ctid), '') FROM "+table))
		}
		return versions
	}
	untouched := rows()
	printed(t, url, "explain", lampOrder)
	printed(t, url, "explain", lampOrder, lampInvoice)
	if got := rows(); !slices.Equal(got, untouched) {
		t.Error("explain wrote")
	}
	printed(t, url, "confirm", lampOrder, lampInvoice)
	once := rows()
	if slices.Equal(once, untouched) {
		t.Error("confirm wrote nothing")
	}
	printed(t, url, "confirm", lampInvoice, lampOrder)
	if got := rows(); !slices.Equal(got, once) {
		t.Error("the second confirm wrote")
	}
}

// The documents that a decision publishes have their messages at once; where the queue
// refuses them, the decision is kept.
//
//nolint:paralleltest // the SDK reads the process's own environment
func TestVerdictSends(t *testing.T) {
	refuses := false
	r := newFailedRig(t, func() bool { return !refuses })
	matchJSON(t, r.env[variable.DatabaseURL], cli.ExitOK, lampFolder(t))
	decide := func(wantCode int, verdict string) (c explain.Change, errOut string) {
		t.Helper()
		code, out, errOut := r.command(t.Context(), verdict, "--json", lampOrder, lampInvoice)
		if code != wantCode {
			t.Fatalf("%s: exit status %d, want %d\n%s", verdict, code, wantCode, errOut)
		}
		return decode[explain.Change](t, out), errOut
	}
	var published []string
	for _, verdict := range []string{"reject", "confirm"} {
		c, _ := decide(cli.ExitOK, verdict)
		for _, id := range c.Published {
			published = append(published, id.String())
		}
	}
	got := clitest.Receive(t, r.client, r.queueURL)
	slices.Sort(got)
	slices.Sort(published)
	if len(published) == 0 || !slices.Equal(got, published) {
		t.Errorf("received %v, published were %v", got, published)
	}
	refuses = true
	c, errOut := decide(cli.ExitFindings, "reject")
	if !c.Changed || len(c.Published) == 0 || !strings.Contains(errOut, "decision stored: ") || !strings.Contains(errOut, "the sweep will publish them again") {
		t.Errorf("refused: %+v\n%s", c, errOut)
	}
}

// No function reads a private database: its documents have no messages.
func TestPrivateDBHasNoQueue(t *testing.T) {
	t.Parallel()
	w := &invocation{cli.Invocation{Env: func(string) string { return "https://sqs.eu-central-1.amazonaws.com/1/match" }}}
	if queue, err := (&session{invocation: w, sessionOptions: sessionOptions{keep: "kept"}, ctx: t.Context()}).matchQueue(); queue != nil || err != nil {
		t.Errorf("got %v, %v", queue, err)
	}
}
