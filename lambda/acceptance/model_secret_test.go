package acceptance_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/failure/failuretest"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/scripted"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// What must be found nowhere but in the columns that are for it. Each has
// characters that the ways of escaping treat differently.
var secrets = []struct {
	name, text string
	columns    []string // where it belongs
}{
	{"the API key", modelKey, nil},
	{"a header of a response", "req_Hidden/Header+4242=~", nil},
	{"a document's text", documentSecret, slices.Concat(
		columnsOf("document", "structured_data", "searchable_text", "normalized_counterparty", "normalized_references",
			"match_keys"),
		columnsOf("match_pair", "evidence", "veto", "reasoning"),
		columnsOf("document_match", "evidence", "reasoning"), columnsOf("match_suggestion", "evidence", "reasoning"),
		columnsOf("document_warning", "words"), columnsOf("three_way_match", "words", "lines", "orders"))},
	{"a response's body", responseSecret, columnsOf("model_answer", "answer")},
	{"the webhook", webhookSecret, nil},
	{"an address", addressSecret, nil},
}

const (
	documentSecret = "Geheime <Lampe> & Söhne=4711"
	responseSecret = "Hidden <body> & naïve=0815"
	webhookSecret  = "T4711/B4711/HiddenWebhook"
	addressSecret  = "hidden.reader@example.com"
)

func columnsOf(table string, names ...string) (columns []string) {
	for _, name := range names {
		columns = append(columns, table+"."+name)
	}
	return columns
}

// places are texts by where they are: a table's column, the log ...
type places map[string][]string

// leaks are the secrets that are where they do not belong.
func (p places) leaks() (found []string) {
	for place, texts := range p {
		all := strings.ToLower(strings.Join(texts, "\n"))
		for _, secret := range secrets {
			if slices.Contains(secret.columns, place) {
				continue
			}
			if slices.ContainsFunc(failuretest.Forms(secret.text),
				func(form string) bool { return strings.Contains(all, strings.ToLower(form)) }) {
				found = append(found, secret.name+" in "+place)
			}
		}
	}
	slices.Sort(found)
	return found
}

// secretive is a server before the scripted one, whose responses contain secrets:
// in a header, in the body, and as whatever the API leaves null.
func secretive(t *testing.T, scripted http.Handler) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorder := httptest.NewRecorder()
		scripted.ServeHTTP(recorder, r) // what closes the connection panics, and closes ours
		for name, values := range recorder.Header() {
			if name != "Content-Length" {
				w.Header()[name] = values
			}
		}
		for _, name := range []string{"X-Request-Id", "Set-Cookie", "Openai-Organization",
			"X-Ratelimit-Remaining-Requests"} {
			w.Header().Set(name, secrets[1].text)
		}
		w.WriteHeader(recorder.Code)
		body := strings.NewReplacer("scripted", responseSecret, "Scripted", responseSecret, `"param":null`,
			`"param":"`+responseSecret+`"`,
			`"code":null`, `"code":"`+responseSecret+`"`).Replace(recorder.Body.String())
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// secretiveChannels is Slack and SES in one: every other message is refused,
// with whatever must not be repeated. What came is kept.
func secretiveChannels(t *testing.T, slack, mail io.Writer) (url string) {
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		kept := mail
		if strings.HasPrefix(r.URL.Path, "/services/") {
			kept = slack
		}
		_, _ = kept.Write(body)
		w.Header().Set("X-Slack-Failure", secrets[1].text)
		if n.Add(1)%2 == 1 {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = fmt.Fprintf(w, `{"message":%q,"url":%q}`, responseSecret, webhookSecret+addressSecret)
			return
		}
		_, _ = io.WriteString(w, map[bool]string{true: "ok", false: `{"MessageId":"1"}`}[kept == slack])
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// secretRun is a line with secrets, one group for each kind of fault.
type secretRun struct {
	*line
	answers  logText // of the mapping, and of the function when it is invoked
	slack    logText // the messages to Slack
	mail     logText
	groups   []group
	ordered  []scripted.Fault
	recorder *scripted.Server
}

func newSecretRun(t *testing.T) *secretRun {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := &secretRun{ordered: scripted.Kinds()}
	var orders []scripted.Order
	for i, kind := range r.ordered {
		orders = append(orders, orderFor(fmt.Sprintf("RE%04d-2", i), slices.Repeat([]scripted.Fault{kind}, 9)))
	}
	r.recorder = scripted.New(scripted.Options{Key: modelKey, RetryAfter: waitAsked, KeepText: true,
		Faults: scripted.Ordered(orders...),
		Mind:   func(scripted.Question) string { return choosing("medium") }})
	r.line = newLine(t, 2, withModel(secretive(t, r.recorder)), func(c *local.FunctionConfig) {
		c.Env = append(c.Env, "LLM_TIMEOUT=1s") // for what hangs
		channels := secretiveChannels(t, &r.slack, &r.mail)
		c.Env = append(c.Env, "SLACK_WEBHOOK_URL="+channels+"/services/"+webhookSecret, "EMAIL_FROM=a@example.com",
			"EMAIL_TO="+addressSecret,
			"AWS_ENDPOINT_URL_SESV2="+channels)
		c.OnInvocation = func(i eventsource.Invocation) {
			fmt.Fprintf(&r.answers, "%+v %v %v\n",
				i, i.Err, i.DeleteErr)
		}
	})
	r.groups = r.line.groups(len(r.ordered)+1, rand.New(rand.NewPCG(seed, 0)), func(d *document.Data) {
		d.Notes, d.Supplier.Name, d.Lines[0].Description = documentSecret, d.Supplier.Name+" "+documentSecret,
			documentSecret
		if strings.HasSuffix(d.Number, "-1") {
			d.References = append(d.References,
				document.Reference{Type: documentSecret, Number: documentSecret + d.Number})
		}
	})
	return r
}

// places is everything that the run has left behind.
func (r *secretRun) places() places {
	r.t.Helper()
	p := places{"the log": {r.text.String()}, "a response": {r.answers.String()}, "Slack": {r.slack.String()},
		"the DLQ": r.deadLetters()}
	tables := query[[]string](r.line, `SELECT array_agg(tablename::text) FROM pg_tables WHERE schemaname = 'public'`)
	for _, table := range tables {
		var row map[string]any
		r.scan(func() {
			for name, value := range row {
				p[table+"."+name] = append(p[table+"."+name], fmt.Sprint(value))
			}
			row = nil // the next one would be added to it
		}, []any{&row}, "SELECT to_jsonb(t) FROM "+table+" AS t")
	}
	return p
}

// deadLetters are the messages of the dead-letter queue, which stay there.
func (r *secretRun) deadLetters() (texts []string) {
	r.t.Helper()
	for {
		out := must.Get(r.Queue.Client.ReceiveMessage(r.t.Context(),
			&sqs.ReceiveMessageInput{QueueUrl: &r.DLQURL, MaxNumberOfMessages: 10,
				VisibilityTimeout: 30, MessageAttributeNames: []string{"All"},
				MessageSystemAttributeNames: []types.MessageSystemAttributeName{"All"}}))(r.t)
		if len(out.Messages) == 0 {
			break
		}
		for _, m := range out.Messages {
			text := must.Get(json.Marshal(m))(r.t)
			var plain bytes.Buffer // without the escapes of json.Marshal
			e := json.NewEncoder(&plain)
			e.SetEscapeHTML(false)
			must.OK(r.t, e.Encode(m))
			texts = append(texts, string(text), plain.String())
		}
	}
	must.OK(r.t, r.Advance(r.t.Context(), 31e9)) // they are visible again
	return texts
}

// Keys, headers, bodies of responses and text of documents are where they
// belong and nowhere else, whatever goes wrong.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	r := newSecretRun(t)
	for _, g := range r.groups {
		r.publish(g.order, g.first)
	}
	r.drain(r.groups[0].ids())
	for _, g := range r.groups {
		r.publish(g.second)
	}
	for _, g := range r.groups {
		r.drain(g.ids())
	}
	happened := r.recorder.Faults()
	// A recorder has no connection to reset: both look alike here.
	for i, kind := range r.ordered {
		// The breaker opens meanwhile: the documents that it parks succeed once their faults are used up.
		if got := r.status(r.groups[i].second); happened[kind] == 0 || !strings.HasPrefix(got, "failed") && !strings.HasPrefix(got, "succeeded") {
			t.Errorf("%s happened %d times, and the document is %s", kind, happened[kind], got)
		}
	}
	// On a busy machine an answer takes more than LLM_TIMEOUT now and then: another attempt asks again.
	if got := r.status(r.groups[len(r.ordered)].second); !strings.HasPrefix(got, "succeeded") ||
		!strings.HasSuffix(got, "0 notifications, no error") {
		t.Errorf("the document without a fault: %s", got)
	}
	r.invoke()
	places := r.places()
	if found := places.leaks(); len(found) > 0 {
		t.Errorf("found %q", found)
	}
	for _, secret := range secrets { // or else there was nothing to hide
		if secret.columns != nil && !slices.ContainsFunc(secret.columns, func(column string) bool {
			return strings.Contains(strings.Join(places[column], "\n"), secret.text)
		}) {
			t.Errorf("%s is not even where it belongs", secret.name)
		}
	}
	for channel, received := range map[string]*logText{"Slack": &r.slack, "the mail": &r.mail} {
		if !strings.Contains(received.String(), "Matching failed") {
			t.Errorf("%s got no message", channel)
		}
	}
	r.checkScan()
}

// invoke invokes the function by hand, so that its responses are seen: with
// all that failed, once more.
func (r *secretRun) invoke() {
	r.t.Helper()
	r.exec("UPDATE document SET matching_status = 'pending' WHERE matching_status = 'failed'")
	var ids []string
	for _, g := range r.groups {
		ids = append(ids, g.second.String())
	}
	for batch := range slices.Chunk(ids, 10) {
		response := must.Get(r.Function.Invoke(r.t.Context(), []byte(eventOf(r.t, nil, batch...))))(r.t)
		fmt.Fprintf(&r.answers, "%s\n", response)
	}
}

// checkScan plants the secrets wherever they must not be, and checks that each
// is found, in any form.
func (r *secretRun) checkScan() {
	r.t.Helper()
	var all, encoded string
	for _, secret := range secrets {
		for _, form := range failuretest.Forms(secret.text) {
			if len(places{"somewhere": {"before " + form + " after"}}.leaks()) == 0 {
				r.t.Errorf("did not find %q", form)
			}
		}
		all += " " + secret.text
		encoded += " " + base64.StdEncoding.EncodeToString([]byte("x"+secret.text+"after"))
	}
	r.exec("UPDATE document SET matching_error = $1 WHERE id = $2", all, r.groups[0].order)
	r.exec("UPDATE notification SET payload = jsonb_build_object('a', jsonb_build_array($1::text)) WHERE document_id = $2", encoded, r.groups[0].second)
	r.exec("UPDATE model_answer SET unusable = $1 WHERE document_id = $2", all, r.groups[len(r.ordered)].second)
	fmt.Fprintf(&r.text, `{"msg":"%x"}`, all)
	fmt.Fprintf(&r.answers, `{"x":%q}`, all)
	fmt.Fprint(&r.slack, all)
	must.Get(r.Queue.Client.SendMessage(r.t.Context(),
		&sqs.SendMessageInput{QueueUrl: &r.DLQURL, MessageBody: aws.String("x"),
			MessageAttributes: map[string]types.MessageAttributeValue{"a": {DataType: aws.String("String"),
				StringValue: &all}}}))(r.t)
	found := r.places().leaks()
	for _, place := range []string{"document.matching_error", "notification.payload", "model_answer.unusable",
		"the log", "a response", "Slack", "the DLQ"} {
		for _, secret := range secrets {
			if want := secret.name + " in " + place; !slices.Contains(found, want) {
				r.t.Errorf("planted and not found: %s", want)
			}
		}
	}
}
