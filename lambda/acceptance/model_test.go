package acceptance_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local"
	"matchbook/lambda/local/clock"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
)

// These tests run the whole line with MATCH_MODE=model. No model is asked:
// what is answered, and what goes wrong, is the script of a server that speaks
// the API.

// waitAsked is what the scripted server's faults with a Retry-After ask for:
// more than an attempt has time for, so that the queue does the waiting, on
// the stack's clock.
const waitAsked = 20 * time.Minute

// modelKey is the API key of these tests.
const modelKey = "sk-proj-Hidden/Key+0815=~"

// modelLine is a line whose function asks a scripted server.
type modelLine struct {
	*line
	model *scripted.Server
}

// newModelLine starts both. The server's time is the stack's: it stands still
// while the function works, and waits within an attempt, 1 ms and 2 ms here,
// pass in real time. So a Retry-After can only be kept or broken by the queue,
// and that is what Violations are about.
func newModelLine(t *testing.T, concurrency int, o scripted.Options,
	options ...func(*local.FunctionConfig)) *modelLine {
	t.Helper()
	var clock atomic.Pointer[clock.Clock]
	o.Now = func() time.Time { return clock.Load().Now() }
	o.RetryAfter = waitAsked
	server := startModel(t, o)
	l := newLine(t, concurrency, append([]func(*local.FunctionConfig){withModel(server.URL())}, options...)...)
	clock.Store(l.Clock)
	return &modelLine{l, server}
}

// startModel starts a scripted server that ends with the test.
func startModel(t *testing.T, o scripted.Options) *scripted.Server {
	t.Helper()
	o.Key, o.KeepText = modelKey, true
	server := must.Get(scripted.Start(t.Context(), o))(t)
	t.Cleanup(server.Close)
	return server
}

// asksModel are the variables of a function that asks at the URL.
func asksModel(url string) []string {
	return []string{"MATCH_MODE=model", "LLM_RETRY_BASE=1ms", "OPENAI_API_KEY=" + modelKey, "OPENAI_BASE_URL=" + url}
}

// withModel has the function ask at that URL.
func withModel(url string) func(*local.FunctionConfig) {
	return func(c *local.FunctionConfig) { c.Env = append(c.Env, asksModel(url)...) }
}

// group is an order and two invoices that fit it equally well: the rules
// cannot choose between them. Each group has a supplier of its own, so that
// groups do not affect each other.
//
// The first invoice comes with the order, when nothing else fits: rules match
// the two. When the second one comes, it has to ask; once it has its answer,
// and not before, the first has to ask as well and is published again.
type group struct {
	name                 string // the invoices are numbered NAME-1 and NAME-2
	order, first, second uuid.UUID
}

func (g group) ids() []uuid.UUID { return []uuid.UUID{g.order, g.first, g.second} }

// groups imports n groups, without publishing them; spoil may change their
// documents and be nil.
func (l *line) groups(n int, random *rand.Rand, spoil func(*document.Data)) (list []group) {
	l.t.Helper()
	var docs []postgres.Imported
	add := func(kind document.Type, data document.Data) uuid.UUID {
		if spoil != nil {
			spoil(&data)
		}
		text := must.Get(json.Marshal(data))(l.t)
		id := uuid.New()
		docs = append(docs, postgres.Imported{ID: id, TenantID: testTenant, Type: kind, Data: text})
		return id
	}
	for i := range n {
		g := group{name: fmt.Sprintf("RE%04d", i)}
		data := fmt.Sprintf(`{"supplier":{"name":%q},"currency":"EUR","total":"%d.37","line_items":[{"sku":"L%04d","quantity":"20","unit_price":"%d.19"}],"date":"2026-01-`,
			word(random), 2000+i, i, 100+i)
		g.order = add(document.PurchaseOrder, parseData(l.t, data+fmt.Sprintf(`05","number":"B%04d"}`, i)))
		g.first = add(document.Invoice, parseData(l.t, data+`15","number":"`+g.name+`-1"}`))
		g.second = add(document.Invoice, parseData(l.t, data+`16","number":"`+g.name+`-2"}`))
		list = append(list, g)
	}
	l.stored(docs)
	return list
}

func parseData(t *testing.T, text string) (d document.Data) {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return d
}

// word is a name that resembles no other.
func word(random *rand.Rand) string {
	letters := make([]byte, 14)
	for i := range letters {
		letters[i] = byte('a' + random.IntN(26))
	}
	return string(letters)
}

// publishAll publishes in portions, as import does.
func (l *line) publishAll(ids []uuid.UUID) {
	l.t.Helper()
	for portion := range slices.Chunk(ids, 200) {
		l.publish(portion...)
	}
}

// asks finds in a question who asks it, by the number of the document.
var asks = regexp.MustCompile(`^<<<document\ntype: invoice\nnumber: (\S+)\n`)

func asker(userText string) string {
	if found := asks.FindStringSubmatch(userText); found != nil {
		return found[1]
	}
	return ""
}

// orderFor is what shall go wrong with the questions of an invoice.
func orderFor(number string, faults []scripted.Fault) scripted.Order {
	return scripted.Order{Contains: "<<<document\ntype: invoice\nnumber: " + number + "\n", Faults: faults}
}

// choosing is the answer that chooses the only candidate with this confidence;
// none of them if it is empty.
func choosing(confidence string) string {
	if confidence == "" {
		return `{"matches":[]}`
	}
	return `{"matches":[{"candidate":1,"confidence":"` + confidence + `","reasoning":"The dates fit."}]}`
}

// lastLife is what happened to the message of a document that was sent last,
// with the seconds since then.
func (l *line) lastLife(id uuid.UUID) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var life []string
	var sent time.Time
	for _, e := range l.log {
		switch {
		case e.Body != id.String():
		case e.Kind == sqs.Sent:
			sent, life = e.At, nil
		case e.Kind == sqs.Received || e.Kind == sqs.Deleted || e.Kind == sqs.MovedToDLQ:
			life = append(life, fmt.Sprintf("%s at %g", e.Kind, e.At.Sub(sent).Seconds()))
		}
	}
	return strings.Join(life, ", ")
}

// edges are the matches and suggestions between documents, as text by pair.
func (l *line) edges() map[[2]uuid.UUID]string {
	l.t.Helper()
	edges := map[[2]uuid.UUID]string{}
	var a, b uuid.UUID
	var what string
	l.scan(func() { edges[[2]uuid.UUID{a, b}] = strings.TrimSpace(edges[[2]uuid.UUID{a, b}] + " " + what) }, []any{&a, &b, &what}, `
		SELECT document_a_id, document_b_id, 'match by ' || decided_by || ', ' || coalesce(nullif(lowered_from, ''), confidence) FROM document_match
		UNION ALL SELECT document_a_id, document_b_id, 'suggestion by ' || decided_by FROM match_suggestion`)
	return edges
}

// pairOf is two documents, as edges has them.
func pairOf(a, b uuid.UUID) [2]uuid.UUID {
	if slices.Compare(a[:], b[:]) > 0 {
		a, b = b, a
	}
	return [2]uuid.UUID{a, b}
}
