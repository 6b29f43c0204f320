package local_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

func TestQueueSettings(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(sqs.New(clock.New()))
	t.Cleanup(server.Close)
	row := manifest.Function{Name: "ingest", Timeout: time.Minute, Retries: []time.Duration{time.Minute}}
	urls := must.Get(local.CreateQueue(t.Context(), server.URL, row.Name, row))(t)
	out := must.Get(sqs.NewClient(server.URL).GetQueueAttributes(t.Context(), &awssqs.GetQueueAttributesInput{
		QueueUrl: &urls.Queue, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}}))(t)
	if got := out.Attributes["VisibilityTimeout"]; got != "360" {
		t.Errorf("visibility timeout %s, want 360", got)
	}
	if got := out.Attributes["MessageRetentionPeriod"]; got != "345600" { // four days
		t.Errorf("retention %s, want 345600", got)
	}
	if got := out.Attributes["RedrivePolicy"]; !strings.Contains(got, `"maxReceiveCount":"2"`) &&
		!strings.Contains(got, `"maxReceiveCount":2`) {
		t.Errorf("redrive policy %s, want 2 receives", got)
	}
}
