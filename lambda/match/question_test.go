package match

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/job"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

var (
	exponent  = regexp.MustCompile(`\d[eE][+-]\d`)
	unitsLeft = regexp.MustCompile(`of its (\S+) units (\S+) are left`)
	converted = regexp.MustCompile(`(?m)^units: one unit of item (\d+) of the (document|candidate) is (\S+) of item (\d+) of the \w+, by their prices$`)
)

// No computed line of a question contradicts another, or the document that it is about, and
// none has an exponent. All corpora are read with -thorough.
func TestQuestionsAgree(t *testing.T) {
	t.Parallel()
	for _, corpus := range []string{"clerk", "varied", "p2p"} {
		for _, condition := range []string{"corrupted", "masked", "visible"} {
			if corpus+condition != "clerkcorrupted" && !testenv.Thorough() {
				continue
			}
			t.Run(corpus+" "+condition, func(t *testing.T) {
				t.Parallel()
				raws := map[uuid.UUID]score.Raw{}
				for _, raw := range rawCorpus(t, corpus, condition) {
					raws[raw.ID] = raw
				}
				all := decided(readCorpus(t, corpus, condition).pairs())
				asking, lines := map[uuid.UUID][]rules.Decision{}, map[string]int{}
				for _, d := range all {
					if d.Undecided {
						asking[d.Pair.Later()] = append(asking[d.Pair.Later()], d)
					}
				}
				for id, open := range asking {
					checkQuestion(t, raws, id, open, lines)
				}
				t.Logf("%d questions, computed lines %v", len(asking), lines)
				if lines["competition"] < 100 || condition != "masked" && min(lines["known"], lines["left"]) < 10 {
					t.Error("the questions prove little")
				}
			})
		}
	}
}

func checkQuestion(t *testing.T, raws map[uuid.UUID]score.Raw, id uuid.UUID, open []rules.Decision, lines map[string]int) {
	t.Helper()
	var candidates []score.Raw
	for _, d := range open {
		candidates = append(candidates, raws[d.Pair.Other(id)])
	}
	for _, d := range open {
		far := d.Pair.Ends[0]
		if d.A == id {
			far = d.Pair.Ends[1]
		}
		for _, k := range knownOf(id, open) {
			if k == (rules.Known{Type: raws[d.Pair.Other(id)].Type, Number: far.Number}) {
				t.Errorf("asks about the known %s %s", k.Type, k.Number)
			}
		}
	}
	q, order, err := QuestionOf(raws[id], candidates, open)
	must.OK(t, err)
	for i, part := range strings.Split(q.User, "\nCandidate ") {
		if exponent.MatchString(part) {
			t.Errorf("a number with an exponent:\n%s", part)
		}
		lines["competition"] += strings.Count(part, "\ncompetition: ")
		lines["known"] += strings.Count(part, "\nknown: ")
		if i == 0 {
			continue
		}
		lines["units"] += checkUnits(t, part, raws[id], candidates[order[i-1]])
		for _, line := range strings.Split(part, "\n") {
			said := unitsLeft.FindStringSubmatch(line)
			if !strings.HasPrefix(line, "competition: ") || said == nil {
				continue
			}
			lines["left"]++
			about := candidates[order[i-1]]
			if strings.Contains(line, "the document") {
				about = raws[id]
			}
			d := must.Get(document.Parse([]byte(about.Data)))(t)
			if len(d.Lines) != 1 || d.Lines[0].Quantity.Canonical() != said[1] || said[1] == said[2] || strings.HasPrefix(said[2], "-") {
				t.Errorf("%s, but its items are %+v", line, d.Lines)
			}
		}
	}
}

// checkUnits compares the conversions before a candidate with the prices of the items, and counts
// them.
func checkUnits(t *testing.T, part string, doc, candidate score.Raw) int {
	t.Helper()
	computed, _, _ := strings.Cut(part, "<<<")
	all := converted.FindAllStringSubmatch(computed, -1)
	if len(all) != strings.Count(computed, "units: ") {
		t.Errorf("a line of another form:\n%s", computed)
	}
	sides := map[string]document.Data{"document": must.Get(document.Parse([]byte(doc.Data)))(t), "candidate": must.Get(document.Parse([]byte(candidate.Data)))(t)}
	for _, said := range all {
		from, to := sides[said[2]], sides[map[string]string{"document": "candidate", "candidate": "document"}[said[2]]]
		i, j := must.Get(strconv.Atoi(said[1]))(t), must.Get(strconv.Atoi(said[4]))(t)
		a, b, n := from.Lines[i-1], to.Lines[j-1], must.Get(strconv.ParseFloat(said[3], 64))(t)
		agree := func(x, y float64) bool { return math.Abs(x-y) <= 0.01*y }
		price := func(l document.Line) float64 { return cmp.Or(l.Amount.Per(l.Quantity), l.UnitPrice).Abs().Float() }
		if n <= 1 || !agree(n, price(a)/price(b)) {
			t.Errorf("%s, but the prices are %v and %v", said[0], price(a), price(b))
		}
	}
	return len(all)
}

// manyOrders are so many orders of the same, and two invoices that fit each of
// them: every pair is undecided.
func manyOrders(n int) (docs []score.Raw) {
	const acme = `"supplier":{"name":"Acme Lighting","vat_id":"DE136695976"}`
	for i := range n {
		docs = append(docs, score.Raw{ID: idOf(fmt.Sprint("order ", i)), TenantID: tenantA, Type: po,
			Data: object(acme, fmt.Sprintf(`"number":"45%03d"`, i), `"total":"1184.37"`, `"date":"2026-01-05"`, lines("lamp 20 59.22"))})
	}
	for i := range 2 {
		docs = append(docs, score.Raw{ID: idOf(fmt.Sprint("invoice ", i)), TenantID: tenantA, Type: inv,
			Data: object(acme, fmt.Sprintf(`"number":"RE-%d"`, i), `"total":"1184.37"`, `"date":"2026-01-15"`, lines("lamp 20 59.22"))})
	}
	return docs
}

// once is a queue to which, as to the real one, nothing is published that is
// waiting already.
type once struct{ outbox }

func (o *once) Send(_ context.Context, messages []job.Stamped) ([]uuid.UUID, error) {
	for _, m := range messages {
		if !slices.Contains(o.waiting, m.ID) {
			o.waiting = append(o.waiting, m.ID)
		}
	}
	return nil, nil
}

// There may be more candidates than a question has room for. The best ones are
// asked about, whatever the order of arrival; the others stay undecided, and
// the two invoices do not have each other ask for ever.
func TestExcessCandidatesStayOpen(t *testing.T) {
	t.Parallel()
	for _, n := range []int{rules.MaxCandidates, rules.MaxCandidates + 1, rules.MaxCandidates + 5} {
		docs := manyOrders(n)
		var first *memory
		for seed := range uint64(6) {
			m, model, queue := newMemory(docs), &fakeModel{think: opinion}, &once{}
			matcher := &Matcher{Store: m, Log: slog.New(slog.DiscardHandler), Model: asker(model, newVault()), Sender: queue}
			drain := func() int {
				return queue.drain(t, matcher, inAnyOrder(rand.New(rand.NewPCG(seed, 4)), docs), func(_ uuid.UUID, err error) {
					t.Fatalf("%d orders, seed %d: %v", n, seed, err)
				})
			}
			drain()
			asked := len(model.asked)
			if again := drain(); again != len(docs) || len(model.asked) != asked {
				t.Errorf("%d orders, seed %d: again, %d documents were matched, want %d, and %d questions asked", n, seed, again, len(docs), len(model.asked)-asked)
			}
			byRules := 0
			for _, e := range m.hints {
				if e.DecidedBy == "rules" && strings.HasPrefix(e.Reasoning, "Undecided. ") {
					byRules++
				}
			}
			if want := 2 * (n - rules.MaxCandidates); byRules != want {
				t.Errorf("%d orders, seed %d: %d pairs are undecided, want %d", n, seed, byRules, want)
			}
			if first == nil {
				first = m
			} else if !m.same(first) {
				t.Errorf("%d orders, seed %d: the order of arrival makes a difference", n, seed)
			}
		}
	}
}
