package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/google/uuid"
)

// The SDK reads the process's own environment.
//
//nolint:paralleltest // it sets the environment
func TestPublishAndSweepAgainstAQueue(t *testing.T) {
	server := httptest.NewServer(sqs.New(clock.New()))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_SQS": server.URL, "AWS_REGION": "us-east-1",
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"} {
		t.Setenv(name, value)
	}
	client := awssqs.New(awssqs.Options{Region: "us-east-1", BaseEndpoint: &server.URL,
		Credentials: credentials.NewStaticCredentialsProvider("x", "x", "")})
	queue, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: aws.String("match")})
	if err != nil {
		t.Fatal(err)
	}
	files, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: aws.String("ingest")})
	if err != nil {
		t.Fatal(err)
	}
	chunks, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: aws.String("review")})
	if err != nil {
		t.Fatal(err)
	}
	sets, err := client.CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: aws.String("offer")})
	if err != nil {
		t.Fatal(err)
	}
	url := postgrestest.URL(t)
	db := postgrestest.Open(t, url)
	id := uuid.New()
	_, err = db.Add(t.Context(), []postgres.Imported{{ID: id, TenantID: corpus.DefaultTenant, Type: document.Invoice, Data: json.RawMessage("{}")}}, postgres.AddOptions{Replace: true, Send: true})
	if err != nil {
		t.Fatal(err)
	}
	command := func(args ...string) (int, string) {
		t.Helper()
		var out bytes.Buffer
		env := func(name string) string {
			return map[string]string{variable.DatabaseURL: url, variable.MatchQueueURL: *queue.QueueUrl,
				manifest.Ingest.QueueEnv(): *files.QueueUrl, manifest.Review.QueueEnv(): *chunks.QueueUrl,
				manifest.Offer.QueueEnv(): *sets.QueueUrl}[name]
		}
		return run(t.Context(), args, env, &out, &out), out.String()
	}

	if code, out := command("publish", id.String(), uuid.NewString()); code != cli.ExitError || !strings.Contains(out, "1 rows do not exist") {
		t.Errorf("publish: exit status %d, %q", code, out)
	}
	got := clitest.Receive(t, client, *queue.QueueUrl)
	if len(got) != 1 || got[0] != id.String() {
		t.Errorf("received %v, want the document's id", got)
	}

	conn := postgrestest.Conn(t, url)
	due := time.Now().Add(-manifest.Match.Visibility() - time.Second)
	if _, err := conn.Exec(t.Context(), "UPDATE document SET matching_due_at = $1", due); err != nil {
		t.Fatal(err)
	}
	if code, out := command("sweep", "--json"); code != cli.ExitOK || !strings.Contains(out, `{"overdue":1,"backlog":1,"inserted":0,"recovered":0,"republished":0,"lost":0,"crashed":0}`) {
		t.Errorf("sweep while the message is in flight: exit status %d, %q", code, out)
	}
	if _, err := client.PurgeQueue(t.Context(), &awssqs.PurgeQueueInput{QueueUrl: queue.QueueUrl}); err != nil {
		t.Fatal(err)
	}
	if code, out := command("sweep", "--json"); code != cli.ExitOK || !strings.Contains(out, `{"overdue":1,"backlog":0,"inserted":0,"recovered":0,"republished":1,"lost":0,"crashed":0}`) {
		t.Errorf("sweep: exit status %d, %q", code, out)
	}
	if got := clitest.Receive(t, client, *queue.QueueUrl); len(got) != 1 || got[0] != id.String() {
		t.Errorf("received %v after the sweep, want the document's id", got)
	}
	if code, out := command("sweep"); code != cli.ExitOK || out != "overdue 0 (messages in the queue 1): published 0 inserted, again 0 overdue and 0 left by their worker; failed 0 as lost, 0 as crashed\n" {
		t.Errorf("second sweep: exit status %d, %q", code, out)
	}
}
