package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	stackclock "matchbook/lambda/local/clock"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/smithy-go/encoding/cbor"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const (
	region    = "us-east-1"
	secretARN = "arn:aws:secretsmanager:" + region + ":000000000000:secret:"
	hookPath  = "/services/T0HIDDEN/B0HIDDEN/hidden-webhook"
	modelKey  = "hidden-model-key"
)

// rig is a healthy deployment: a queue, a database, a model and a Slack that
// are there, and an AWS that has a stack. Tests break one thing of it.
type rig struct {
	t        *testing.T
	sqs      *awssqs.Client
	urls     local.QueueURLs
	model    *scripted.Server
	answer   string // the model's
	database string // URL
	owned    bool   // no other test uses it

	resources   []m               // of the stack
	env         map[string]string // of the match function
	sweepEnv    map[string]string
	webEnv      map[string]string
	webReserved m // its concurrency
	config      m // of the match function: Timeout
	reserved    m // its concurrency
	mappings    []m
	listsAll    bool   // a function's mappings are those of its aliases, too
	dir         string // of its secrets: their ARNs begin so
	secrets     map[string]string
	refuse      map[string]string // what AWS refuses, by operation, with which code
	slack       http.HandlerFunc
	around      around
	mu          sync.Mutex
	asked       map[string]bool // of AWS: the operations
	look        *look
}

// newRig uses a migrated database that is shared, until a test writes: the
// doctor does not.
func newRig(t *testing.T, database string) *rig {
	t.Helper()
	r := &rig{t: t, dir: secretARN + uuid.NewString() + "/", database: database, secrets: map[string]string{}, refuse: map[string]string{}, reserved: m{}, webReserved: m{"ReservedConcurrentExecutions": manifest.Web.Instances}, asked: map[string]bool{}, answer: `{"there":true}`}
	endpoint := r.serve(sqs.New(stackclock.New()))
	var err error
	if r.urls, err = local.CreateQueue(t.Context(), endpoint, "match", manifest.Match); err != nil {
		t.Fatal(err)
	}
	config := aws.Config{Region: region, BaseEndpoint: &endpoint, RetryMaxAttempts: 1, Credentials: credentials.NewStaticCredentialsProvider("x", "x", "")}
	r.sqs = awssqs.NewFromConfig(config)
	r.model, err = scripted.Start(t.Context(), scripted.Options{Key: modelKey,
		Mind: func(scripted.Question) string { return r.answer }})
	must.OK(t, err)
	t.Cleanup(r.model.Close)
	r.slack = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no_text", http.StatusBadRequest) }
	hooks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) { r.slack(w, req) }))
	t.Cleanup(hooks.Close)
	vault.Store(r.dir, r)
	t.Cleanup(func() { vault.Delete(r.dir) })
	r.deploy(hooks.URL + hookPath)
	r.look = &look{rows: rows{manifest.Match}, Options: Options{Env: func(name string) string { return r.env[name] }, Ask: true}, cloud: &cloud{config}}
	return r
}

func (r *rig) deploy(hook string) {
	r.secrets[r.dir+"database-url"] = r.database
	r.secrets[r.dir+"openai-api-key"] = modelKey
	r.secrets[r.dir+"slack-webhook-url"] = hook
	r.env = map[string]string{
		"DATABASE_URL_SECRET_ARN": r.dir + "database-url", "OPENAI_API_KEY_SECRET_ARN": r.dir + "openai-api-key",
		"SLACK_WEBHOOK_URL_SECRET_ARN": r.dir + "slack-webhook-url", "QUEUE_URL": r.urls.Queue, "MATCH_MODE": "model",
		"OPENAI_BASE_URL": r.model.URL(), "OPENAI_EMBEDDING_MODEL": "text-embedding-3-small", "RETRY_SCHEDULE": "5m,30m", "DATABASE_URL": "",
	}
	r.sweepEnv = map[string]string{"DATABASE_URL_SECRET_ARN": r.dir + "database-url", "MATCH_QUEUE_URL": r.urls.Queue}
	r.around = healthyAround()
	r.config = deployedVersion("match:1", "Timeout", 180, "MemorySize", 512)
	r.mappings = []m{{"UUID": "mapping", "EventSourceArn": "arn:aws:sqs:us-east-1:000000000000:match", "State": "Enabled", "BatchSize": 10,
		"FunctionArn":           "arn:aws:lambda:us-east-1:000000000000:function:match:live",
		"FunctionResponseTypes": []string{"ReportBatchItemFailures"}, "ScalingConfig": m{"MaximumConcurrency": manifest.Match.MaxConcurrency}}}
	r.resources = []m{{"id": "role", "type": "AWS::IAM::Role"}, {"id": "other", "type": typeFunction}, // that is a page
		{"id": "match", "type": typeFunction}, {"id": "sweep", "type": typeFunction},
		{"id": "sweep", "type": typeSchedule}, {"id": "match-errors", "type": typeAlarm},
		{"id": "gone", "type": typeFunction, "status": "DELETE_COMPLETE"}, {"id": "", "type": typeFunction, "status": "CREATE_IN_PROGRESS"}}
}

// vault has the rigs by the ARNs of their secrets. The functions' way to
// Secrets Manager is by the variables of the process, of which there is one.
var vault sync.Map

func TestMain(t *testing.M) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var in struct{ SecretId string }
		_ = json.NewDecoder(req.Body).Decode(&in)
		target := req.Header.Get("X-Amz-Target")
		found, ok := vault.Load(in.SecretId[:strings.LastIndex(in.SecretId, "/")+1])
		if !ok || target != "secretsmanager.GetSecretValue" {
			refuse(w, target, "ResourceNotFoundException")
			return
		}
		r := found.(*rig)
		r.note(target)
		text, ok := r.secrets[in.SecretId]
		if code := r.refuse[target]; code != "" || !ok {
			refuse(w, target, code)
			return
		}
		_ = json.NewEncoder(w).Encode(m{"ARN": in.SecretId, "SecretString": text})
	}))
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_SECRETS_MANAGER": server.URL, "AWS_REGION": region, "AWS_MAX_ATTEMPTS": "1",
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_CONFIG_FILE": os.DevNull, "AWS_SHARED_CREDENTIALS_FILE": os.DevNull} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	code := t.Run()
	server.Close()
	os.Exit(code)
}

// serve is AWS: the strict SQS, and small answers of the others. What it does
// not know it refuses, so that a wrong call is seen.
func (r *rig) serve(queues http.Handler) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		target := req.Header.Get("X-Amz-Target")
		r.note(target)
		if strings.HasPrefix(target, "AmazonSQS.") && r.refuse[target] == "" {
			r.around.queues(w, req, target, queues)
			return
		}
		operation, answer := r.operation(req, target)
		r.note(operation)
		if code := r.refuse[operation]; code != "" || answer == nil {
			refuse(w, operation, code)
			return
		}
		switch text := answer.(type) {
		case string:
			_, _ = io.WriteString(w, text)
			return
		case cbor.Map:
			w.Header().Set("Smithy-Protocol", "rpc-v2-cbor")
			_, _ = w.Write(cbor.Encode(text))
			return
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	r.t.Cleanup(server.Close)
	return server.URL
}

func (r *rig) note(operation string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked[operation] = true
}

// operation names a call, and answers it.
func (r *rig) operation(req *http.Request, target string) (string, any) {
	body, _ := io.ReadAll(req.Body)
	form, _ := url.ParseQuery(string(body))
	path := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	if operation, answer := r.around.operation(req, target, form, path, body); operation != "" {
		return operation, answer
	}
	switch {
	case strings.HasPrefix(target, "AmazonSQS."): // one that is refused
		return target, nil
	case form.Get("Action") == "ListStackResources" && form.Get("StackName") == "matchbook-dev":
		return "ListStackResources", r.page(form.Get("NextToken"))
	case len(path) == 2 && path[1] == "event-source-mappings":
		return "ListEventSourceMappings", m{"EventSourceMappings": r.mapped(req.URL.Query().Get("FunctionName"))}
	case len(path) == 4 && path[3] == "aliases":
		return "ListAliases", m{"Aliases": aliases[path[2]]}
	case len(path) == 4 && path[3] == "concurrency":
		return "GetFunctionConcurrency", r.concurrency(path[2])
	case len(path) == 4 && path[3] == "configuration":
		return "GetFunctionConfiguration", r.configuration(path[2])
	}
	return req.Method + " " + req.URL.Path + " " + target + form.Get("Action"), nil
}

var aliases = map[string][]m{"match": {{"Name": "live", "FunctionVersion": "1"}}, "sweep": {{"Name": "live", "FunctionVersion": "1"}}, "matchbook-dev-web": {{"Name": "live", "FunctionVersion": "1"}}}

// mapped are the mappings of exactly this function or alias, as Lambda has it.
func (r *rig) mapped(function string) (list []m) {
	list = []m{}
	for _, mapping := range r.mappings {
		arn := mapping["FunctionArn"].(string)
		if strings.HasSuffix(arn, ":function:"+function) || r.listsAll && strings.Contains(arn, ":function:"+function+":") {
			list = append(list, mapping)
		}
	}
	return list
}

func (r *rig) concurrency(function string) m {
	switch function {
	case "match":
		return r.reserved
	case "matchbook-dev-web":
		return r.webReserved
	}
	return m{}
}

// configuration is that of the version that the alias leads to; the function
// itself has been changed since.
func (r *rig) configuration(function string) any {
	switch function {
	case "arn:aws:lambda:us-east-1:000000000000:function:match:live", "match:live":
		config := maps.Clone(r.config)
		config["Environment"] = m{"Variables": r.env}
		return config
	case "match", functionOf + "match":
		return m{"Timeout": 900, "Environment": m{"Variables": r.env}}
	case "sweep:live":
		return deployedVersion("sweep:1", "Timeout", 50, "MemorySize", 256, "Environment", m{"Variables": r.sweepEnv})
	case "matchbook-dev-web:live":
		return deployedVersion("matchbook-dev-web:1", "Timeout", 300, "MemorySize", 256, "Environment", m{"Variables": r.webEnv})
	case "other":
		return m{"Timeout": 3}
	}
	return nil
}

// page has two resources; a stack has more than one page of them.
func (r *rig) page(token string) string {
	var from int
	_, _ = fmt.Sscan(token, &from)
	var s strings.Builder
	for _, resource := range r.resources[from:min(from+2, len(r.resources))] {
		fmt.Fprintf(&s, "<member><PhysicalResourceId>%s</PhysicalResourceId><ResourceType>%s</ResourceType><ResourceStatus>%v</ResourceStatus></member>",
			resource["id"], resource["type"], cmp.Or(resource["status"], any("CREATE_COMPLETE")))
	}
	next := ""
	if from+2 < len(r.resources) {
		next = fmt.Sprintf("<NextToken>%d</NextToken>", from+2)
	}
	return `<ListStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><ListStackResourcesResult><StackResourceSummaries>` +
		s.String() + `</StackResourceSummaries>` + next + `</ListStackResourcesResult></ListStackResourcesResponse>`
}

func refuse(w http.ResponseWriter, operation, code string) {
	if code == "" {
		code = "ResourceNotFoundException"
	}
	status := http.StatusBadRequest
	if strings.HasPrefix(operation, "ec2:") {
		w.WriteHeader(status)
		fmt.Fprintf(w, `<Response><Errors><Error><Code>%s</Code><Message>hidden-message</Message></Error></Errors></Response>`, code)
		return
	}
	if strings.HasPrefix(operation, "POST ") || operation == "ListStackResources" || strings.HasPrefix(operation, "iam:") {
		if code == "ResourceNotFoundException" {
			code = "ValidationError"
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `<ErrorResponse><Error><Type>Sender</Type><Code>%s</Code><Message>hidden-message</Message></Error></ErrorResponse>`, code)
		return
	}
	w.Header().Set("X-Amzn-Errortype", code)
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"__type":%q,"message":"hidden-message"}`, code)
}

// examine looks at the stack, or at the environment.
func (r *rig) examine(stack bool) Report {
	r.t.Helper()
	if stack {
		r.look.Stack = "matchbook-dev"
	}
	return must.Get(r.look.examine(r.t.Context()))(r.t)
}

// set changes attributes of a queue.
func (r *rig) set(url, name, to string) {
	r.t.Helper()
	must.Get(r.sqs.SetQueueAttributes(r.t.Context(), &awssqs.SetQueueAttributesInput{QueueUrl: &url, Attributes: map[string]string{name: to}}))(r.t)
}

// own has the deployment use a database of its own, that may be changed.
func (r *rig) own() {
	r.t.Helper()
	if !r.owned {
		r.owned, r.database = true, postgrestest.URL(r.t)
		r.use(r.database)
	}
}

func (r *rig) exec(sql string, args ...any) {
	r.t.Helper()
	r.own()
	ctx := context.Background() // when the test has ended, too
	conn := must.Get(pgx.Connect(ctx, r.database))(r.t)
	defer conn.Close(ctx)
	must.Get(conn.Exec(ctx, sql, args...))(r.t)
}

// use has the function use another database.
func (r *rig) use(url string) {
	r.secrets[r.dir+"database-url"] = url
}

func (r *rig) down() {
	r.t.Helper()
	r.own()
	must.Get(schema.MigrateDown(context.Background(), r.database))(r.t)
}
