package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	"matchbook/lambda/local/webhook"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/notify"
	"matchbook/lambda/postgres/postgrestest"
)

// refusing is the environment of a run whose model refuses the key, so that
// a document that needs it fails for good.
func refusing(t *testing.T, more ...string) map[string]string {
	t.Helper()
	server := must.Get(scripted.Start(t.Context(), scripted.Options{Key: "another"}))(t)
	t.Cleanup(server.Close)
	values := map[string]string{variable.DatabaseURL: postgrestest.URL(t), variable.OpenAIBaseURL: server.URL(), variable.OpenAIKey: "sk-wrong",
		variable.AdminBaseURL: "https://matchbook.example.com"}
	for i := 0; i < len(more); i += 2 {
		values[more[i]] = more[i+1]
	}
	return values
}

func taken(t *testing.T, file string) (texts []string) {
	t.Helper()
	f, err := os.Open(file)
	must.OK(t, err)
	defer f.Close()
	for lines := json.NewDecoder(f); ; {
		var m webhook.Message
		switch err := lines.Decode(&m); err {
		case nil:
			texts = append(texts, m.Text)
		case io.EOF:
			return texts
		default:
			t.Fatal(err)
		}
	}
}

const refused = "ask the model: model provider denied access (HTTP 401, invalid_api_key) (tried once)"

// failed counts the documents that failed, from a report for people: of each
// group one or two, as they happen to arrive.
func failed(t *testing.T, out string) (n int) {
	t.Helper()
	_, counts, _ := strings.Cut(out, "+ failed ")
	if _, err := fmt.Sscan(counts, &n); err != nil || n == 0 {
		t.Fatalf("nothing failed (%v):\n%s", err, out)
	}
	return n
}

// Without a channel a run shows the messages that it would send: failures of one
// kind, at the end of the run, in one message.
func TestNoChannelPrints(t *testing.T) {
	t.Parallel()
	code, out, errOut := clitest.RunIn(t.Context(), run, refusing(t), "match", clitest.Ties(t, 6), "--database")
	if code != cli.ExitFindings {
		t.Fatalf("exit status %d\n%s", code, errOut)
	}
	_, messages, _ := strings.Cut(out, "NOT SENT, because no channel is configured (set SLACK_WEBHOOK_URL, or EMAIL_FROM and EMAIL_TO)\n")
	n := failed(t, out)
	wantIn(t, messages, fmt.Sprintf("  Matching failed %d times: permanent\n", n), "    "+refused+"\n", fmt.Sprintf("\n  and %d more\n", n-notify.Listed), "https://matchbook.example.com/documents?matching_status=failed&kind=permanent&since=")
}

// --slack-log is Slack to the function: the first failure is sent at once, the
// others when its minute is over.
func TestSlackLog(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "slack.jsonl")
	code, out, errOut := clitest.RunIn(t.Context(), run, refusing(t),
		"match", clitest.Ties(t, 6), "--database", "--slack-log", file, "--json", "--concurrency", "1")
	if code != cli.ExitFindings {
		t.Fatalf("exit status %d\n%s", code, errOut)
	}
	n := decode[matchrun.Report](t, out).Notified
	if len(n.Messages) != 0 || len(n.Channels) != 1 || n.Channels[0].Channel != "slack" || n.Channels[0].Unsent != 0 {
		t.Errorf("got %+v", n)
	}
	texts := taken(t, file)
	texts = slices.DeleteFunc(texts, func(s string) bool { return strings.HasPrefix(s, "Warning") }) // the ties
	if len(texts) != 2 || !strings.HasPrefix(texts[0], "Matching failed") || !strings.HasPrefix(texts[1], "Matching failed") {
		t.Errorf("Slack got %q, want the first and the rest", texts)
	}
	if strings.Contains(out+errOut, webhook.Path) {
		t.Error("the webhook was shown")
	}
}

// Failures that a channel does not accept are reported, and stay for the sweep.
func TestFailingChannelReported(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	defer server.Close()
	code, out, errOut := clitest.RunIn(t.Context(), run, refusing(t, variable.SlackWebhookURL, server.URL+"/services/HIDDEN"),
		"match", clitest.Ties(t, 2), "--database")
	unsent := failed(t, out) + strings.Count(out, "billed-twice") // the ties are warned about
	if want := fmt.Sprintf("NOTIFIED   slack did not accept %d notifications", unsent); code != cli.ExitFindings || !strings.Contains(out, want) {
		t.Errorf("exit status %d, and %q is not in\n%s%s", code, want, out, errOut)
	}
	if strings.Contains(out+errOut, "HIDDEN") {
		t.Error("the webhook was shown")
	}
}

func TestNotify(t *testing.T) { // not parallel: the SDK reads its variables from the process
	var mails int
	ses := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mails++
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"MessageId":"1"}`)
	}))
	defer ses.Close()
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	t.Setenv("AWS_ENDPOINT_URL_SESV2", ses.URL)
	mail := map[string]string{variable.EmailFrom: "a@example.com", variable.EmailTo: "b@example.com"}
	down := map[string]string{variable.SlackWebhookURL: "http://127.0.0.1:1/services/HIDDEN"}
	file := filepath.Join(t.TempDir(), "slack.jsonl")
	for _, tc := range []struct {
		name      string
		env       map[string]string
		args      []string
		want      int
		out, said string
	}{
		{"mail and a receiver", mail, []string{"--test", "--slack-log", file}, cli.ExitOK, "slack  accepted\nemail  accepted\n", ""},
		{"JSON", mail, []string{"--test", "--json"}, cli.ExitOK, `[{"channel":"email","taken":true}]` + "\n", ""},
		{"a channel that is down", down, []string{"--test"}, cli.ExitFindings, "slack  NOT accepted: ", ""},
		{"no channel", nil, []string{"--test"}, cli.ExitError, "", "missing notification channel: set SLACK_WEBHOOK_URL"},
		{"half of a channel", map[string]string{variable.EmailTo: "b@example.com"}, []string{"--test"}, cli.ExitError, "", "EMAIL_FROM and EMAIL_TO must both be set"},
		{"nothing asked for", mail, nil, cli.ExitError, "", "missing --test"},
		{"no such folder", nil, []string{"--test", "--slack-log", filepath.Join(file, "x")}, cli.ExitError, "", "--slack-log: "},
	} {
		code, out, errOut := clitest.RunIn(t.Context(), run, tc.env, append([]string{"notify"}, tc.args...)...)
		if code != tc.want || !strings.HasPrefix(out, tc.out) || !strings.Contains(errOut, tc.said) || strings.Contains(out+errOut, "HIDDEN") {
			t.Errorf("%s: exit status %d, %q, %q", tc.name, code, out, errOut)
		}
	}
	if texts := taken(t, file); mails != 2 || len(texts) != 1 || !strings.HasPrefix(texts[0], "This is a test") {
		t.Errorf("%d mails, and Slack got %q", mails, texts)
	}
}
