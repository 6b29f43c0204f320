package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/uuid"
)

// The SDK reads the process's own environment.
//
//nolint:paralleltest // it sets the environment
func TestPublishAndSweep(t *testing.T) {
	r := newFailedRig(t, always, manifest.Match, manifest.Ingest, manifest.Review, manifest.Offer)
	id := uuid.New()
	add(t, postgrestest.Open(t, r.env[variable.DatabaseURL]),
		postgres.Imported{ID: id, TenantID: corpus.DefaultTenant, Type: document.Invoice, Data: json.RawMessage("{}")})
	if code, out, errOut := r.command(t.Context(), "publish", id.String(), uuid.NewString()); code != cli.ExitError || !strings.Contains(out+errOut, "1 row not found") {
		t.Errorf("publish: exit status %d, %q %q", code, out, errOut)
	}
	if got := clitest.Receive(t, r.client, r.queueURL); len(got) != 1 || got[0] != id.String() {
		t.Errorf("received %v, want the document's id", got)
	}

	due := time.Now().Add(-manifest.Match.Visibility() - time.Second)
	postgrestest.Exec(t, r.conn, "UPDATE document SET matching_due_at = $1", due)
	r.prints(`{"overdue":1,"backlog":1,"inserted":0,"recovered":0,"republished":0,"lost":0,"crashed":0}`+"\n", "sweep", "--json")
	must.Get(r.client.PurgeQueue(t.Context(), &awssqs.PurgeQueueInput{QueueUrl: &r.queueURL}))(t)
	r.prints(`{"overdue":1,"backlog":0,"inserted":0,"recovered":0,"republished":1,"lost":0,"crashed":0}`+"\n", "sweep", "--json")
	if got := clitest.Receive(t, r.client, r.queueURL); len(got) != 1 || got[0] != id.String() {
		t.Errorf("received %v after the sweep, want the document's id", got)
	}
	r.prints("overdue 0 (messages in the queue 1): published 0 inserted, republished 0 overdue and 0 abandoned; failed 0 as lost, 0 as crashed\n", "sweep")
}
