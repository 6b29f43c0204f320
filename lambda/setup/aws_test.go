package setup

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/job/sqsjob"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// What a program for Lambda makes of the SDK's variables: its clients find
// their endpoints, sign for the region, and send the session's token.
func TestClientsInLambda(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		_, scope, _ := strings.Cut(r.Header.Get("Authorization"), "Credential=AKID/")
		parts := strings.SplitN(scope, "/", 4)
		seen = append(seen, r.URL.Path+" "+parts[1]+" "+parts[2]+" "+r.Header.Get("X-Amz-Security-Token"))
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	keys := map[string]string{"AWS_REGION": "eu-central-1", "AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "x",
		"AWS_SESSION_TOKEN": "session"}
	ask := func(values map[string]string) error {
		c := inLambda(envOf(values))
		c.RetryMaxAttempts = 1
		secret := "s"
		_, err1 := secretsmanager.NewFromConfig(c).GetSecretValue(t.Context(),
			&secretsmanager.GetSecretValueInput{SecretId: &secret})
		_, err2 := sesv2.NewFromConfig(c).GetAccount(t.Context(), &sesv2.GetAccountInput{})
		queue, err3 := sqsjob.NewQueue(sqs.NewFromConfig(c), server.URL+"/000000000000/match")
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		_, _ = queue.Backlog(t.Context()) // it looks for a count in the answer
		return nil
	}
	for _, variables := range [][]string{{"AWS_ENDPOINT_URL"},
		{"AWS_ENDPOINT_URL_SQS", "AWS_ENDPOINT_URL_SECRETS_MANAGER", "AWS_ENDPOINT_URL_SESV2"}} {
		values := maps.Clone(keys)
		for _, name := range variables {
			values[name] = server.URL
		}
		seen = nil
		must.OK(t, ask(values), variables)
		want := "/ eu-central-1 secretsmanager session, /v2/email/account eu-central-1 ses session, / eu-central-1 sqs session"
		if got := strings.Join(seen, ", "); got != want {
			t.Errorf("%v:\ngot  %s\nwant %s", variables, got, want)
		}
	}
	if err := ask(map[string]string{"AWS_REGION": "eu-central-1", "AWS_ENDPOINT_URL": server.URL}); err == nil ||
		!strings.Contains(err.Error(), "usually set by Lambda") {
		t.Errorf("without keys: got %v", err)
	}
}

// asked is a transport that notes where a request goes and answers nothing.
type asked struct{ host string }

func (a *asked) Do(r *http.Request) (*http.Response, error) {
	a.host = r.URL.Host
	return nil, errors.New("noted")
}

func TestEndpointsInLambda(t *testing.T) {
	t.Parallel()
	for variable, want := range map[string]string{
		"":                           "sqs.us-east-1.amazonaws.com",
		"AWS_USE_FIPS_ENDPOINT":      "sqs-fips.us-east-1.amazonaws.com",
		"AWS_USE_DUALSTACK_ENDPOINT": "sqs.us-east-1.api.aws",
	} {
		c := inLambda(envOf(map[string]string{"AWS_REGION": "us-east-1", "AWS_ACCESS_KEY_ID": "AKID",
			"AWS_SECRET_ACCESS_KEY": "x", variable: "true"}))
		a := &asked{}
		c.HTTPClient, c.RetryMaxAttempts = a, 1
		name := "match"
		if _, err := sqs.NewFromConfig(c).GetQueueUrl(t.Context(),
			&sqs.GetQueueUrlInput{QueueName: &name}); err == nil || a.host != want {
			t.Errorf("%q: asked %s, want %s (%v)", variable, a.host, want, err)
		}
	}
}
