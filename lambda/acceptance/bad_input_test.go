package acceptance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/eventsource"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/postgres"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
)

// These tests send what must not get through, each bad thing in a batch with
// two good documents, which must not notice. The marker is in every bad
// document and body: no log, no error and no notification may hold it.

const marker = "geheim-4711-marker"

// badLine is a line that notes its batches.
type badLine struct {
	*line
	batches []int // how many messages each invocation had
}

func newBadLine(t *testing.T, options ...func(*local.FunctionConfig)) *badLine {
	t.Helper()
	l := &badLine{}
	l.line = newLine(t, 1, append(options, func(c *local.FunctionConfig) {
		c.OnInvocation = func(i eventsource.Invocation) {
			if i.Err != nil {
				t.Errorf("the batch failed as a whole: %v", i.Err)
			}
			if len(i.MessageIDs) > 0 {
				l.batches = append(l.batches, len(i.MessageIDs)) // one worker
			}
		}
	})...)
	return l
}

// row stores a document with unchecked structured data. Empty
// means NULL, for the data and for the type.
func (l *line) row(tenant uuid.UUID, kind, data string) uuid.UUID {
	l.t.Helper()
	id := uuid.New()
	must.OK(l.t, l.tryRow(id, tenant, kind, data))
	return id
}

func (l *line) tryRow(id, tenant uuid.UUID, kind, data string) error {
	_, err := l.conn.Exec(l.t.Context(), `WITH t AS (INSERT INTO tenant VALUES ($2, 'Tenant') ON CONFLICT DO NOTHING)
		INSERT INTO document (id, tenant_id, type, structured_data) VALUES ($1, $2, nullif($3, '')::document_type, nullif($4, '')::jsonb)`,
		id, tenant, kind, data)
	return err
}

// pair stores an order and the invoice that cites it, of a tenant of their own.
func (l *line) pair() (tenant uuid.UUID, ids []uuid.UUID) {
	tenant = uuid.New()
	return tenant, []uuid.UUID{
		l.row(tenant, "purchase-order", `{"number":"PO1","supplier":{"name":"S"}}`),
		l.row(tenant, "invoice", `{"supplier":{"name":"S"},"references":[{"type":"purchase-order","number":"PO1"}]}`)}
}

// send sends messages that become visible at the same moment.
func (l *line) send(bodies ...string) {
	l.t.Helper()
	in := &awssqs.SendMessageBatchInput{QueueUrl: &l.Queue.URL}
	for i, body := range bodies {
		in.Entries = append(in.Entries, types.SendMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)),
			MessageBody: aws.String(body)})
	}
	out, err := l.Queue.Client.SendMessageBatch(l.t.Context(), in)
	if err != nil || len(out.Failed) > 0 {
		l.t.Fatalf("send: %v, %+v", err, out)
	}
}

// settle lets everything happen, and checks that the good pair was matched.
func (l *line) settle(good []uuid.UUID) {
	l.t.Helper()
	l.drain(good)
	l.wantAtOnce(good...)
	check(l.t, "matches of the batch-mates",
		query[int](l, "SELECT count(*) FROM document_match WHERE document_a_id = ANY ($1)", good), 1)
}

// fate lists the events of the messages of that body, with seconds since
// the first was sent.
func (l *line) fate(body string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var list []string
	var sent sqs.Event
	for _, e := range l.log {
		switch {
		case e.Body != body:
		case e.Kind == sqs.Sent && sent.Body == "":
			sent = e
		case slices.Contains([]sqs.EventKind{sqs.Received, sqs.Deleted, sqs.MovedToDLQ}, e.Kind):
			list = append(list, fmt.Sprintf("%s at %g", e.Kind, e.At.Sub(sent.At).Seconds()))
		}
	}
	return strings.Join(list, ", ")
}

// keptSecret checks that the content of the documents appears nowhere.
func (l *badLine) keptSecret(t *testing.T) {
	t.Helper()
	if strings.Contains(l.text.String(), marker) {
		t.Error("text of a document or a body is in the log")
	}
	check(t, "errors that hold text", query[int](l.line,
		"SELECT count(*) FROM document WHERE matching_error LIKE '%'||$1||'%'", marker), 0)
	check(t, "notifications that hold text",
		query[int](l.line, "SELECT count(*) FROM notification WHERE payload::text LIKE '%'||$1||'%'", marker), 0)
}

const acknowledged = "received at 0, deleted at 0"

func TestMalformedBodyIsAcked(t *testing.T) {
	t.Parallel()
	l := newBadLine(t)
	const retriedOnce = "received at 0, received at 300, deleted at 300"
	bare := uuid.New()
	var want []int // malformed messages of each batch of three
	for _, tc := range []struct {
		name, body string
		want       string // what happens to the message
		malformed  bool
	}{
		{"no UUID", marker, acknowledged, true},
		{"36 characters that are none", strings.Repeat("x", 36-len(marker)) + marker, acknowledged, true},
		{"in braces", "{" + bare.String() + "}", acknowledged, true},
		{"URN", "urn:uuid:" + bare.String(), acknowledged, true},
		{"without hyphens", strings.ReplaceAll(bare.String(), "-", ""), acknowledged, true},
		{"line end", bare.String() + "\n", acknowledged, true},
		{"JSON", `{"id":"` + bare.String() + `","name":"` + marker + `"}`, acknowledged, true},
		{"200 KB", strings.Repeat(marker, 200<<10/len(marker)), acknowledged, true},
		{"Unicode", "１０００００００-🧾-" + marker, acknowledged, true},
		{"unknown document", uuid.NewString(), retriedOnce, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l.t = t
			_, good := l.pair()
			l.send(good[0].String(), tc.body, good[1].String())
			l.settle(good)
			check(t, "message", l.fate(tc.body), tc.want)
		})
		want = append(want, map[bool]int{true: 1}[tc.malformed])
	}
	must.OK(t, l.Function.Close()) // so that its log is complete
	if got := l.malformedOfBatches(t, 3); !slices.Equal(got, want) {
		t.Errorf("logged as malformed in each batch: %v, want %v", got, want)
	}
	l.finish(t, 3)
}

// malformedOfBatches returns how many messages of each batch of n were logged as
// malformed, in the order of the batches: one is worked on at a time.
func (l *badLine) malformedOfBatches(t *testing.T, n int) (malformed []int) {
	t.Helper()
	lines, _ := l.text.printed(t)
	lines = slices.DeleteFunc(lines, func(line map[string]any) bool { return line["msg"] != "settled" })
	for len(lines) > 0 {
		request, size, bad := lines[0]["request_id"], 0, 0
		for size < len(lines) && lines[size]["request_id"] == request {
			if lines[size]["result"] == "malformed" {
				bad++
			}
			size++
		}
		if size == n {
			malformed = append(malformed, bad)
		}
		lines = lines[size:]
	}
	return malformed
}

// finish checks what holds for the whole run; every first delivery was in a
// batch of n.
func (l *badLine) finish(t *testing.T, n int) {
	t.Helper()
	l.t = t
	l.keptSecret(t)
	queue, dlq := l.Stats()
	check(t, "messages left", queue.Visible+queue.InFlight+dlq.Visible, 0)
	for _, size := range l.batches {
		if size != n && size != 1 { // 1: what came again
			t.Errorf("a batch of %d messages, want %d", size, n)
		}
	}
}

func TestUpperCaseID(t *testing.T) {
	t.Parallel()
	l := newBadLine(t)
	_, good := l.pair()
	upper := strings.ToUpper(good[1].String())
	l.send(good[0].String(), upper)
	l.settle(good)
	check(t, "message", l.fate(upper), acknowledged)
}

func TestDuplicateInBatch(t *testing.T) {
	t.Parallel()
	l := newBadLine(t)
	_, good := l.pair()
	l.send(good[0].String(), good[1].String(), good[1].String())
	l.settle(good)
	// The second waits until the first one's lease would have ended: it must
	// not be deleted before the work is known to be done.
	if want := regexp.MustCompile(`^received at 0, received at 0, deleted at 0, received at 2\d\d, deleted at 2\d\d$`); !want.MatchString(l.fate(good[1].String())) {
		t.Errorf("messages: got %s, want %s", l.fate(good[1].String()), want)
	}
}

func TestMalformedRowFailsAlone(t *testing.T) {
	t.Parallel()
	l := newBadLine(t)
	const amount = "invalid amount: expected a plain decimal of at most 18 digits"
	note := func(rest string) string { return `{"notes":"` + marker + `",` + rest + `}` }
	many := func(n int, element string) string { return "[" + strings.Repeat(element+",", n-1) + element + "]" }
	failed := func(sentence string) string {
		return "failed, 1 attempts, 1 notifications, structured data: " + sentence
	}
	unqueued := func(sentence string) string {
		return "NULL, 0 attempts, 0 notifications, not matchable: missing " + sentence
	}
	for _, tc := range []struct{ name, kind, data, want string }{
		{"no structured data", "invoice", "", unqueued("structured data")},
		{"no type", "", note(`"number":"1"`), unqueued("document type")},
		{"neither", "", "", unqueued("document type")},
		{"nothing in it", "invoice", `{}`, atOnce},
		{"only what we do not know", "invoice", note(`"secret":{"` + marker + `":[1]}`), atOnce},
		{"JSON null", "invoice", `null`, unqueued("structured data")},
		{"array", "invoice", `["` + marker + `"]`, failed(`invalid field "": unexpected array`)},
		{"string", "invoice", `"` + marker + `"`, failed("structured data must be an object, not a string: it was encoded as JSON twice")},
		{"number", "invoice", `4711`, failed(`invalid field "": unexpected number`)},
		{"object where text belongs", "invoice", note(`"number":{"` + marker + `":"` + marker + `"}`),
			failed(`invalid field "number": unexpected object`)},
		{"number where text belongs", "invoice", note(`"supplier":{"name":4711}`),
			failed(`invalid field "supplier.name": unexpected number`)},
		{"text where a list belongs", "invoice", `{"references":"` + marker + `"}`,
			failed(`invalid field "references": unexpected string`)},
		{"object where an amount belongs", "invoice", note(`"total":{"` + marker + `":1}`), failed(amount)},
		{"text where an amount belongs", "invoice", `{"total":"` + marker + `"}`, failed(amount)},
		{"1e400", "invoice", note(`"total":1e400`), failed(amount)},
		{`"1e400"`, "invoice", note(`"total":"1e400"`), failed(amount)},
		{"amount of 30 digits", "invoice", note(`"total":"` + strings.Repeat("9", 30) + `"`), failed(amount)},
		{"bare amount of 30 digits", "invoice", note(`"subtotal":` + strings.Repeat("9", 30)), failed(amount)},
		{"a day that does not exist", "invoice",
			note(`"date":"2026-02-30"`), failed("invalid date: expected YYYY-MM-DD")},
		{"text where a date belongs", "invoice", `{"date":"` + marker + `"}`,
			failed("invalid date: expected YYYY-MM-DD")},
		{"number where a date belongs", "invoice",
			note(`"period":{"from":20260101}`), failed("invalid date: expected a string")},
		{"10 MB", "invoice", `{"notes":"` + strings.Repeat(marker, 10<<20/len(marker)) + `"}`,
			failed("must be at most 1048576 bytes")},
		{"a byte too large", "invoice", sized(document.MaxBytes + 1), failed("must be at most 1048576 bytes")},
		{"as large as can be", "invoice", sized(document.MaxBytes), atOnce},
		{"100,000 lines", "invoice", note(`"line_items":` + many(100_000, "{}")), failed("too many line items: over 5000")},
		{"501 references", "invoice", note(`"references":` + many(501, `{"type":"invoice","number":"`+marker+`"}`)),
			failed("too many references: over 500")},
		{"500 references", "invoice", note(`"references":` + many(500, `{"type":"invoice","number":"`+marker+`"}`)),
			atOnce},
		{"as deep as the database takes", "invoice",
			l.deepest(), failed("structured data must be nested at most 100 levels deep")},
		{"number of 300 KB", "invoice", note(`"number":"` + long(300<<10) + `","supplier":{"name":"S"}`), atOnce},
		{"name of 300 KB", "invoice", note(`"total":"5","supplier":{"name":"` + long(300<<10) + `"}`), atOnce},
		{"reference of 300 KB", "invoice", note(`"references":[{"type":"` + long(300<<10) + `","number":"` +
			long(300<<10) + `"}],"supplier":{"name":"S"}`), atOnce},
		{"controls and separators", "invoice",
			`{"number":"\u0001\u2028\u202e` + marker + `","supplier":{"name":"\ud83d\ude00\ufffe"}}`, atOnce},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l.t = t
			tenant, good := l.pair()
			bad := l.row(tenant, tc.kind, tc.data)
			l.publish(good[0], bad, good[1])
			l.settle(good)
			check(t, "document", l.status(bad), tc.want)
			check(t, "message", l.fate(bad.String()), acknowledged)
		})
	}
	l.finish(t, 3)
}

// sized is structured data of n bytes, in the form in which PostgreSQL writes it.
func sized(n int) string {
	const head, tail = `{"notes": "` + marker, `"}`
	return head + strings.Repeat("x", n-len(head)-len(tail)) + tail
}

// long is text without a repetition, which compresses badly.
func long(n int) string {
	var b strings.Builder
	b.WriteString(marker)
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%x", i*i)
	}
	return b.String()
}

// deepest nests as deep as PostgreSQL stores.
func (l *line) deepest() string {
	l.t.Helper()
	for depth := 1 << 16; depth > document.MaxDepth; depth /= 2 {
		data := `{"notes":"` + marker + `","extra":` + strings.Repeat("[", depth) + strings.Repeat("]", depth) + "}"
		err := l.tryRow(uuid.New(), testTenant, "invoice", data)
		if err == nil {
			l.t.Logf("PostgreSQL takes %d levels", depth)
			return data
		}
		check(l.t, "refused with", sqlState(err), "54001")
	}
	l.t.Fatal("PostgreSQL refuses what is not deep")
	return ""
}

func sqlState(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return fmt.Sprint(err)
}

// What cannot get into the table, cannot get out of it.
func TestRefusedByPostgreSQL(t *testing.T) {
	t.Parallel()
	l := newBadLine(t)
	for _, tc := range []struct{ name, data, state string }{
		{"NUL", `{"number":"` + marker + `\u0000"}`, "22P05"},
		{"invalid UTF-8", `{"number":"` + marker + "\xff" + `"}`, "22021"},
		{"half a surrogate pair", `{"number":"` + marker + `\ud800"}`, "22P02"},
		{"no JSON", marker, "22P02"},
		{"a number beyond numeric", `{"total":1e1000000}`, "22003"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l.t = t
			tenant, good := l.pair()
			check(t, "refused with", sqlState(l.tryRow(uuid.New(), tenant, "invoice", tc.data)), tc.state)
			_, err := l.DB.Add(t.Context(), []postgres.Imported{{ID: uuid.New(), TenantID: tenant,
				Type: document.Invoice, Data: json.RawMessage(tc.data)}}, postgres.AddOptions{Replace: true, Send: true})
			if err == nil {
				t.Fatal("imported")
			}
			check(t, "import", failure.Of(err).Text, "the database refused the data (SQLSTATE "+tc.state+")")
			check(t, "kind", failure.Of(err).Kind, failure.Permanent)
			check(t, "documents of the tenant",
				query[int](l.line, "SELECT count(*) FROM document WHERE tenant_id = $1", tenant), len(good))
		})
	}
}

// invoked is an answer of the emulator's URL.
type invoked struct {
	status int
	failed bool // X-Amz-Function-Error
	body   string
}

func post(t *testing.T, url, payload string) invoked {
	t.Helper()
	response, err := http.Post(url+"/2015-03-31/functions/function/invocations", "application/json",
		strings.NewReader(payload))
	must.OK(t, err)
	defer response.Body.Close()
	body := must.Get(io.ReadAll(response.Body))(t)
	return invoked{response.StatusCode, response.Header.Get("X-Amz-Function-Error") != "",
		strings.TrimSpace(string(body))}
}

func eventOf(t *testing.T, change func(records []map[string]any), bodies ...string) string {
	t.Helper()
	records := make([]map[string]any, len(bodies))
	for i, body := range bodies {
		records[i] = map[string]any{"messageId": fmt.Sprintf("m%d", i), "receiptHandle": "none", "body": body,
			"attributes":  map[string]string{"ApproximateReceiveCount": "1", "SentTimestamp": "1772442000000"},
			"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:match",
			"awsRegion": "us-east-1"}
	}
	if change != nil {
		change(records)
	}
	event := must.Get(json.Marshal(map[string]any{"Records": records}))(t)
	return string(event)
}

func TestMalformedEvent(t *testing.T) {
	t.Parallel()
	l := newBadLine(t, func(c *local.FunctionConfig) { c.NoMapping = true })
	server := httptest.NewServer(l.Function)
	t.Cleanup(server.Close)
	l.send(marker) // nothing takes it
	_, good := l.pair()
	a, b := good[0].String(), good[1].String()
	second := func(key string, value any) string {
		return eventOf(t, func(r []map[string]any) { r[1][key] = value }, a, b)
	}
	functionError := func(message, kind string) invoked {
		return invoked{200, true, `{"errorMessage":"` + message + `","errorType":"` + kind + `"}`}
	}
	const noRecords = "expected an SQS event: missing Records"
	for _, tc := range []struct {
		name, event string
		want        invoked
	}{
		{"not SQS", `{"source":"aws.events","detail":{"x":"` + marker + `"}}`, functionError(noRecords, "errorString")},
		{"no event", ``, functionError(noRecords, "errorString")},
		{"null", `null`, functionError(noRecords, "errorString")},
		{"Records is null", `{"Records":null}`, functionError(noRecords, "errorString")},
		{"a record from another service", second("eventSource", "aws:sns"), functionError("record 1: expected an SQS message",
			"errorString")},
		{"no messageId", second("messageId", ""), functionError("record 1: missing messageId", "errorString")},
		{"messageId is null", second("messageId", nil), functionError("record 1: missing messageId", "errorString")},
		{"wrong ARN", second("eventSourceARN", "arn:aws:sqs:us-east-1:000000000000:ingest"), functionError(
			`record 1 is from \"arn:aws:sqs:us-east-1:000000000000:ingest\"; expected the queue of QUEUE_URL, arn:aws:sqs:us-east-1:000000000000:match`, "errorString")},
		{"array", `["` + marker + `"]`, functionError("json: cannot unmarshal array into Go value of type events.SQSEvent", "UnmarshalTypeError")},
		{"Records is text", `{"Records":"` + marker + `"}`, functionError(
			"json: cannot unmarshal string into Go struct field SQSEvent.Records of type []events.SQSMessage",
			"UnmarshalTypeError")},
		{"body is no text", second("body", map[string]string{"x": marker}), functionError(
			"json: cannot unmarshal object into Go struct field SQSMessage.Records.body of type string",
			"UnmarshalTypeError")},
		{"not JSON", marker, invoked{400, false, `{"Type":"User","message":"could not parse request body into json"}`}},
		{"more than 6 MB", eventOf(t, nil, a, strings.Repeat(marker, 6<<20/len(marker))),
			invoked{413, false, `{"Type":"User","message":"http: request body too large"}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l.t = t
			check(t, "answer", post(t, server.URL, tc.event), tc.want)
			for _, id := range good {
				check(t, "document", l.status(id), "NULL, 0 attempts, 0 notifications, no error")
			}
		})
	}
	l.t = t
	const none = `{"batchItemFailures":[]}`
	check(t, "empty batch", post(t, server.URL, `{"Records":[]}`), invoked{200, false, none})
	// The queue refuses an empty body, so it comes as an event.
	almost := strings.Repeat(marker, (6<<20-4<<10)/len(marker))
	check(t, "an empty body, and almost 6 MB",
		post(t, server.URL, eventOf(t, nil, a, "", almost, b)), invoked{200, false, none})
	l.wantAtOnce(good...)
	queue, _ := l.Stats()
	check(t, "messages that were not received", queue.Visible, 1)
	l.keptSecret(t)
}
