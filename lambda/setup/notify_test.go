package setup_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/setup"
)

func TestInvalidChannel(t *testing.T) {
	t.Parallel()
	base := map[string]string{"DATABASE_URL": "x", "QUEUE_URL": "x", "MATCH_MODE": "rules"}
	for name, tc := range map[string]struct {
		values map[string]string
		want   string
	}{
		"none":          {nil, ""},
		"a sender only": {map[string]string{"EMAIL_FROM": "SECRET@example.com"}, "EMAIL_FROM and EMAIL_TO"},
		"no URL":        {map[string]string{"ADMIN_BASE_URL": "SECRET"}, "ADMIN_BASE_URL"},
		"a good one":    {map[string]string{"ADMIN_BASE_URL": "https://matchbook.example.com"}, ""},
	} {
		values := maps.Clone(base)
		maps.Copy(values, tc.values)
		_, err := setup.LoadFunction(env(values), manifest.Match)
		if (err != nil) != (tc.want != "") || err != nil &&
			(!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "SECRET")) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A channel without an opener, or one that is opened under another name, would
// leave its rows in the outbox.
func TestChannelNames(t *testing.T) { // not parallel: the SDK reads its variables from the process
	t.Setenv("AWS_REGION", "eu-central-1")
	c := must.Get(setup.LoadNotify(env(map[string]string{"SLACK_WEBHOOK_URL": "https://hooks.slack.com/services/T/B/x",
		"EMAIL_FROM": "a@example.com", "EMAIL_TO": "b@example.com"})))(t)
	senders, err := setup.Senders(t.Context(), c)
	if err != nil || len(senders) != len(manifest.Channels()) {
		t.Fatalf("got %d senders, %v", len(senders), err)
	}
	for i, ch := range manifest.Channels() {
		if got := senders[i].Channel(); got != ch.Name {
			t.Errorf("the channel %s is opened as %s", ch.Name, got)
		}
	}
}

// The sweep that setup opens tells what is in the outbox to the webhook of the
// environment, over HTTP.
func TestSweepNotifiesSlack(t *testing.T) { // not parallel: the SDK reads its variables from the process
	var mu sync.Mutex
	var texts []string
	webhook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, _ := io.ReadAll(r.Body)
		var m struct{ Text string }
		_ = json.Unmarshal(raw, &m)
		mu.Lock()
		texts = append(texts, m.Text)
		mu.Unlock()
		_, _ = io.WriteString(w, "ok")
	}))
	defer webhook.Close()
	queue := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"Attributes":{"ApproximateNumberOfMessages":"0","ApproximateNumberOfMessagesNotVisible":"0","ApproximateNumberOfMessagesDelayed":"0"}}`)
	}))
	defer queue.Close()
	t.Setenv("AWS_ENDPOINT_URL_SQS", queue.URL)
	t.Setenv("AWS_REGION", "eu-central-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	for _, sql := range []string{
		"INSERT INTO tenant VALUES ('00000000-0000-4000-8000-000000000001', 'Testers')",
		"INSERT INTO document (id, tenant_id, type) VALUES ('00000000-0000-4000-8000-000000000007', '00000000-0000-4000-8000-000000000001', 'invoice')",
		`INSERT INTO notification (tenant_id, document_id, kind, attempt, payload) VALUES ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000007', 'permanent', 1,
			'{"document_id": "00000000-0000-4000-8000-000000000007", "tenant_id": "00000000-0000-4000-8000-000000000001", "tenant": "Testers", "kind": "permanent", "error": "structured data: not valid JSON", "attempts": 1, "deliveries": 1}')`,
	} {
		must.Get(conn.Exec(t.Context(), sql))(t)
	}
	c := must.Get(setup.LoadSweep(env(map[string]string{"DATABASE_URL": url, "SLACK_WEBHOOK_URL": webhook.URL,
		"QUEUE_URL":        "https://sqs.eu-central-1.amazonaws.com/000000000000/match",
		"INGEST_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/000000000000/ingest",
		"REVIEW_QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/000000000000/review",
		"OFFER_QUEUE_URL":  "https://sqs.eu-central-1.amazonaws.com/000000000000/offer"}), manifest.Functions()))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	s, closeAll, err := setup.Sweep(ctx, c, slog.New(slog.DiscardHandler), setup.Workloads())
	must.OK(t, err)
	defer closeAll()
	for range 2 {
		must.Get(s.Run(ctx))(t)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(texts) != 1 || !strings.Contains(texts[0], "permanent") {
		t.Errorf("Slack got %q, want one failure", texts)
	}
}
