package acceptance_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/local"
	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

// ends are all the ways in which asking a model may go, and what becomes of the
// document then. A letter of faults is what goes wrong with one call: (t) that
// may go away, (w) that wants 20 minutes, (q) a quota for which an hour is
// waited, (p) that is permanent. The call after the last letter goes well.
var ends = []struct {
	faults string
	calls  string // within each delivery
	life   string // of the message
	state  string
	ok     bool
}{
	{"", "1", "received at 0, deleted at 0", "succeeded, 1 attempts, 0 notifications", true},
	{"t", "2", "received at 0, deleted at 0", "succeeded, 1 attempts, 0 notifications", true},
	{"tt", "3", "received at 0, deleted at 0", "succeeded, 1 attempts, 0 notifications", true},
	{"ttt", "3 1", "received at 0, received at 300, deleted at 300", "succeeded, 2 attempts, 0 notifications", true},
	{"tttttt", "3 3 1", "received at 0, received at 300, received at 2100, deleted at 2100",
		"succeeded, 3 attempts, 0 notifications", true},
	{"ttttttttt", "3 3 3", "received at 0, received at 300, received at 2100, moved to DLQ at 2100",
		"failed, 3 attempts, 1 notifications", false},
	{"p", "1", "received at 0, deleted at 0", "failed, 1 attempts, 1 notifications", false},
	{"ttp", "3", "received at 0, deleted at 0", "failed, 1 attempts, 1 notifications", false},
	{"tttp", "3 1", "received at 0, received at 300, deleted at 300", "failed, 2 attempts, 1 notifications", false},
	{"w", "1 1", "received at 0, received at 1200, deleted at 1200", "succeeded, 2 attempts, 0 notifications", true},
	{"tw", "2 1", "received at 0, received at 1200, deleted at 1200", "succeeded, 2 attempts, 0 notifications", true},
	{"ww", "1 1 1", "received at 0, received at 1200, received at 3000, deleted at 3000",
		"succeeded, 3 attempts, 0 notifications", true},
	{"www", "1 1 1", "received at 0, received at 1200, received at 3000, moved to DLQ at 3000",
		"failed, 3 attempts, 1 notifications", false},
	{"q", "1 1", "received at 0, received at 3600, deleted at 3600", "succeeded, 2 attempts, 0 notifications", true},
	{"qqq", "1 1 1", "received at 0, received at 3600, received at 7200, moved to DLQ at 7200",
		"failed, 3 attempts, 1 notifications", false},
}

// kinds are the faults by letter.
func kinds() map[byte][]scripted.Fault {
	by := map[byte][]scripted.Fault{
		'w': {scripted.RateLimitSeconds, scripted.RateLimitDate, scripted.Unavailable},
		'q': {scripted.QuotaExhausted},
		'p': {scripted.Refusal, scripted.FinishLength, scripted.FinishFilter, scripted.ContextLength,
			scripted.BadRequest, scripted.Unauthorized, scripted.Forbidden, scripted.NotFound},
	}
	for _, kind := range scripted.Kinds() {
		if !slices.Contains(slices.Concat(slices.Collect(maps.Values(by))...), kind) {
			by['t'] = append(by['t'], kind)
		}
	}
	return by
}

// script is what is to happen to an invoice, and what the model thinks of it.
type script struct {
	id     uuid.UUID
	end    int // of ends
	faults []scripted.Fault
	answer string // a confidence, or empty
}

// known is the state of its pair with the order at the end: without an answer,
// it is what the rules know.
func (s script) known() string {
	if !ends[s.end].ok {
		return "suggestion by rules"
	}
	return s.edge()
}

// edge is the state of its pair with the order after the answer.
func (s script) edge() string {
	switch s.answer {
	case "high":
		return "match by model, high"
	case "low":
		return "suggestion by model"
	}
	return ""
}

// dealer deals faults: all of a letter before one comes again. Bodies of 10 MB
// take their time: they come again every fifth time only. What hangs until the
// function gives up, after 20 s of real time, which no answer takes on a busy machine, comes once.
type dealer struct {
	random *rand.Rand
	kinds  map[byte][]scripted.Fault
	decks  map[byte][]scripted.Fault
	rounds map[byte]int
}

func (d *dealer) deal(letters string) (faults []scripted.Fault) {
	for _, letter := range []byte(letters) {
		if len(d.decks[letter]) == 0 {
			deck := slices.Clone(d.kinds[letter])
			if d.rounds[letter]++; d.rounds[letter]%5 != 1 {
				deck = slices.DeleteFunc(deck, func(f scripted.Fault) bool { return f == scripted.HugeBody })
			}
			if d.rounds[letter] > 1 {
				deck = slices.DeleteFunc(deck, func(f scripted.Fault) bool {
					return f == scripted.HangBeforeHeaders ||
						f == scripted.HangInBody
				})
			}
			d.random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
			d.decks[letter] = deck
		}
		faults, d.decks[letter] = append(faults, d.decks[letter][0]), d.decks[letter][1:]
	}
	return faults
}

// faultRun is groups whose invoices have scripts.
type faultRun struct {
	*modelLine
	groups  []group
	scripts map[string]script // by the invoice's number
}

func newFaultRun(t *testing.T, groups int, seed uint64) *faultRun {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 0))
	r := &faultRun{scripts: map[string]script{}}
	r.modelLine = newModelLine(t, 4, scripted.Options{Mind: func(q scripted.Question) string {
		return choosing(r.scripts[asker(q.User)].answer)
	}}, func(c *local.FunctionConfig) { c.Env = append(c.Env, "LLM_TIMEOUT=10s") })
	r.groups = r.line.groups(groups, random, nil)
	answers := []string{"high", "low", ""} // medium depends on the points of the rules
	d := &dealer{random, kinds(), map[byte][]scripted.Fault{}, map[byte]int{}}
	var orders []scripted.Order
	add := func(number string, id uuid.UUID, end, answer int) {
		s := script{id, end, d.deal(ends[end].faults), answers[answer%len(answers)]}
		r.scripts[number] = s
		orders = append(orders, orderFor(number, s.faults))
	}
	for i, g := range r.groups {
		add(g.name+"-2", g.second, i%len(ends), i)
		add(g.name+"-1", g.first, random.IntN(len(ends)), i/len(answers))
	}
	r.model.Order(scripted.Ordered(orders...))
	return r
}

// expected are the edges by the scripts.
func (r *faultRun) expected() map[[2]uuid.UUID]string {
	want := map[[2]uuid.UUID]string{}
	for _, g := range r.groups {
		want[pairOf(g.order, g.first)] = r.scripts[g.name+"-1"].known()
		want[pairOf(g.order, g.second)] = r.scripts[g.name+"-2"].known()
	}
	maps.DeleteFunc(want, func(_ [2]uuid.UUID, what string) bool { return what == "" })
	return want
}

// calls are how often each invoice's question was asked, by the stack's time.
func (r *faultRun) calls() map[string]string {
	at := map[string]map[time.Time]int{}
	for _, c := range r.model.Calls() {
		number := asker(c.UserText)
		if at[number] == nil {
			at[number] = map[time.Time]int{}
		}
		at[number][c.At]++
	}
	calls := map[string]string{}
	for number, times := range at {
		var list []string
		for _, when := range slices.SortedFunc(maps.Keys(times), time.Time.Compare) {
			list = append(list, strconv.Itoa(times[when]))
		}
		calls[number] = strings.Join(list, " ")
	}
	return calls
}

// Whatever goes wrong with the model, every document ends as it must, nothing
// is lost, nothing is done twice, and no answer is paid for again.
func TestModelFaults(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "waits for models that hang")
	seed := rand.Uint64()
	r := newFaultRun(t, 334, seed)
	// The scripts are about one document's retries; an outage would park what they fail.
	r.exec("ALTER TABLE service_breaker ADD CONSTRAINT stays_closed CHECK (state = 'closed')")
	g := newGate(r.line) // for its count of terminal writes; nothing is gated
	var all, early, seconds []uuid.UUID
	for _, group := range r.groups {
		all, early, seconds = append(all, group.ids()...), append(early, group.order, group.first), append(seconds, group.second)
	}
	t.Logf("seed %d, %d documents", seed, len(all))

	r.publishAll(early)
	r.drain(all)
	check(t, "questions where rules decide", len(r.model.Calls()), 0)
	r.publishAll(seconds)
	r.drain(all)

	r.checkFaults()
	r.checkEnds()
	r.checkVault()
	checkEdges(t, r.edges(), r.expected())
	failed := query[int](r.line, "SELECT count(*) FROM document WHERE matching_status = 'failed'")
	check(t, "published, and neither succeeded nor failed",
		len(all)-failed-query[int](r.line, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'"), 0)
	check(t, "failed without exactly one notification", query[int](r.line, `SELECT count(*) FROM document d
		WHERE (SELECT count(*) FROM notification WHERE document_id = d.id AND attempt > 0) <> (matching_status = 'failed')::int`), 0)
	queue, dlq := r.Stats()
	check(t, "messages left", queue.Visible+queue.InFlight, 0)
	t.Logf("%d failed, %d of them in the DLQ", failed, dlq.Visible)
	r.again(all)
	g.open()
}

// A Retry-After for which there is time is waited for within the attempt, in
// real time: here the server's clock is the real one.
func TestShortRetryAfter(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	var orders []scripted.Order
	for i, kind := range kinds()['w'] {
		orders = append(orders, orderFor(fmt.Sprintf("RE%04d-2", i), []scripted.Fault{kind}))
	}
	server := startModel(t, scripted.Options{RetryAfter: time.Second,
		Faults: scripted.Ordered(orders...), Mind: func(scripted.Question) string { return choosing("high") }})
	l := newLine(t, 1, withModel(server.URL()))
	var firsts, seconds []uuid.UUID
	for _, g := range l.groups(len(orders), rand.New(rand.NewPCG(seed, 0)), nil) {
		firsts, seconds = append(firsts, g.order, g.first), append(seconds, g.second)
	}
	l.publish(firsts...)
	l.drain(firsts)
	l.publish(seconds...)
	l.drain(slices.Concat(firsts, seconds))
	for _, id := range seconds {
		l.wantAtOnce(id)
		check(t, "message", l.lastLife(id), "received at 0, deleted at 0")
	}
	for _, kind := range kinds()['w'] {
		check(t, string(kind), server.Faults()[kind], 1)
	}
	check(t, "calls", len(server.Calls()), 3*len(orders))
	check(t, "calls before their Retry-After", fmt.Sprint(server.Violations()), "[]")
}

// checkFaults: every Retry-After was kept and, of a thousand documents, every
// kind happened.
func (r *faultRun) checkFaults() {
	r.t.Helper()
	happened := r.model.Faults()
	for _, list := range kinds() {
		for _, kind := range list {
			r.t.Logf("%4d x %s", happened[kind], kind)
			if happened[kind] == 0 {
				r.t.Errorf("it never happened: %s", kind)
			}
		}
	}
	check(r.t, "calls before their Retry-After", fmt.Sprint(r.model.Violations()), "[]")
	otherForms := 0
	for _, c := range r.model.Calls() {
		switch {
		case strings.Contains(c.Refused, "response_format"): // after a 400 without a reason
			otherForms++
		case c.Refused != "":
			r.t.Errorf("the server refused a request: %s", c.Refused)
		}
	}
	check(r.t, "requests in another form, two after each 400 without a reason", otherForms, 2*happened[scripted.BadRequest])
}

// checkEnds: every document ends as its script orders.
func (r *faultRun) checkEnds() {
	r.t.Helper()
	calls := r.calls()
	writes := map[uuid.UUID]int{}
	var id uuid.UUID
	var n int
	r.scan(func() { writes[id] = n }, []any{&id, &n}, "SELECT id, count(*) FROM terminal_write GROUP BY id")
	for _, g := range r.groups {
		check(r.t, "order", r.status(g.order), atOnce)
		check(r.t, "terminal writes of the order", writes[g.order], 1)
		r.checkEnd(g.name+"-2", calls[g.name+"-2"], 0)
		check(r.t, "terminal writes of "+g.name+"-2", writes[g.second], 1)
		r.checkEnd(g.name+"-1", calls[g.name+"-1"], 1) // it competes with the second one, whatever became of that
		check(r.t, "terminal writes of "+g.name+"-1", writes[g.first], 2)
	}
}

// checkEnd looks at an invoice that has asked, after so many other attempts.
func (r *faultRun) checkEnd(number, calls string, before int) {
	r.t.Helper()
	s := r.scripts[number]
	end := ends[s.end]
	what := fmt.Sprintf("%s with %q: ", number, s.faults)
	check(r.t, what+"calls", calls, end.calls)
	check(r.t, what+"message", r.lastLife(s.id), end.life)
	attempts := 1 + strings.Count(end.calls, " ")
	want := strings.Replace(end.state, fmt.Sprint(attempts, " attempts"), fmt.Sprint(attempts+before, " attempts"), 1)
	got := r.status(s.id)
	if state, why := got[:min(len(want), len(got))], got[min(len(want), len(got)):]; state != want ||
		(why == ", no error") != end.ok {
		r.t.Errorf("%sgot %s, want %s", what, got, want)
	}
}

// neverArrived are the faults whose answer was billed and never reached the
// function whole: there was nothing to keep.
var neverArrived = []scripted.Fault{scripted.TruncatedJSON, scripted.HugeBody, scripted.HangBeforeHeaders, scripted.HangInBody}

// checkVault: whatever was paid for and arrived is kept, once. Of what breaks
// off or is too large its cost is unknown.
func (r *faultRun) checkVault() {
	r.t.Helper()
	paid, tokens := 0, 0
	usable := map[uuid.UUID]int{}
	for _, c := range r.model.Calls() {
		if c.Billed && !slices.Contains(neverArrived, c.Fault) {
			paid, tokens = paid+1, tokens+c.Usage.TotalTokens
		}
		if c.Fault == scripted.NoFault && c.Refused == "" {
			usable[r.scripts[asker(c.UserText)].id]++
		}
	}
	check(r.t, "answers in the vault", query[int](r.line, "SELECT count(*) FROM model_answer"), paid)
	check(r.t, "their tokens", query[int](r.line, "SELECT sum(prompt_tokens + completion_tokens) FROM model_answer"),
		tokens)
	check(r.t, "usable answers", query[int](r.line, "SELECT count(*) FROM model_answer WHERE unusable = ''"),
		len(usable))
	for id, n := range usable {
		if n != 1 || query[int](r.line, "SELECT count(*) FROM model_answer WHERE document_id = $1 AND unusable = ''",
			id) != 1 {
			r.t.Errorf("%s: %d usable answers were sent, not 1, or it is not in the vault", id, n)
		}
	}
}

func checkEdges(t *testing.T, got, want map[[2]uuid.UUID]string) {
	t.Helper()
	for _, pair := range slices.Concat(slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(want))) {
		if got[pair] != want[pair] {
			t.Errorf("%v: got %q, want %q", pair, got[pair], want[pair])
		}
	}
}

// again has everything matched once more, without faults: only those ask of
// whom there is no usable answer. Then the pairs forget what was said about
// them: nobody asks, the vault knows.
func (r *faultRun) again(all []uuid.UUID) {
	r.t.Helper()
	unanswered, want := map[string]string{}, map[[2]uuid.UUID]string{}
	for _, g := range r.groups {
		first, second := r.scripts[g.name+"-1"], r.scripts[g.name+"-2"]
		for n, s := range []script{first, second} {
			if !ends[s.end].ok {
				unanswered[fmt.Sprint(g.name, "-", n+1)] = "1"
			}
		}
		want[pairOf(g.order, g.first)], want[pairOf(g.order, g.second)] = first.edge(), second.edge()
	}
	maps.DeleteFunc(want, func(_ [2]uuid.UUID, what string) bool { return what == "" })
	before := len(r.model.Calls())
	r.model.Order(nil)
	r.publishAll(all)
	r.drain(all)
	asked := map[string]string{}
	for _, c := range r.model.Calls()[before:] {
		asked[asker(c.UserText)] += "1"
	}
	if !maps.Equal(asked, unanswered) {
		r.t.Errorf("matched again, these asked: %v\nwant %v", asked, unanswered)
	}
	checkEdges(r.t, r.edges(), want)

	r.exec("UPDATE match_pair SET asked = '', question = '', answer = '', reasoning = ''")
	before = len(r.model.Calls())
	for _, s := range r.scripts {
		r.publish(s.id)
	}
	r.drain(all)
	check(r.t, "questions that were answered before", len(r.model.Calls())-before, 0)
	check(r.t, "answers that were not used again",
		query[int](r.line, "SELECT count(*) FROM model_answer WHERE unusable = '' AND replays = 0"), 0)
	check(r.t, "succeeded", query[int](r.line, "SELECT count(*) FROM document WHERE matching_status = 'succeeded'"),
		len(all))
	checkEdges(r.t, r.edges(), want)
	r.t.Logf("%d calls, %d tokens, %d answers in the vault, used %d times again",
		len(r.model.Calls()), r.model.Usage().TotalTokens,
		query[int](r.line, "SELECT count(*) FROM model_answer"),
		query[int](r.line, "SELECT sum(replays) FROM model_answer"))
}
