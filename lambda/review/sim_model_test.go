package review_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/llm"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
)

// The latency of the model is lognormal, with a median of 1 s and a mean of 1.5 s;
// one call in a thousand takes more than 16 s.
const simSigma = 0.9

var simMean = time.Duration(math.Exp(simSigma*simSigma/2) * float64(time.Second))

// simModel answers after a latency, or fails. Both follow from the seed, the
// question and how often it was asked: not from the order of goroutines.
type simModel struct {
	seed     uint64
	failures float64 // the part of calls

	mu       sync.Mutex
	asked    map[[32]byte]int
	answered map[[32]byte]int // that a living process got
	calls    int
	lost     int // calls in flight when their process was killed
	inFlight int
	most     int
	last     map[string]time.Time // when a call about the contract was in flight, by its name
}

func newSimModel(seed uint64, failures float64) *simModel {
	return &simModel{seed: seed, failures: failures, asked: map[[32]byte]int{}, answered: map[[32]byte]int{},
		last: map[string]time.Time{}}
}

func (m *simModel) Name() string { return "simulated" }

func questionKey(q llm.Question) [32]byte { return sha256.Sum256([]byte(q.Name + "\x00" + q.User)) }

// draw returns a number from 0 to 1 that follows from the seed and what it is for.
func draw(seed uint64, what string, key []byte, n int) float64 {
	h := sha256.New()
	fmt.Fprintf(h, "%d %s %d ", seed, what, n)
	h.Write(key)
	return (float64(binary.BigEndian.Uint64(h.Sum(nil))>>11) + 0.5) / (1 << 53)
}

// latency is lognormal, by the method of Box and Muller.
func (m *simModel) latency(key []byte, n int) time.Duration {
	radius := math.Sqrt(-2 * math.Log(draw(m.seed, "radius", key, n)))
	normal := radius * math.Cos(2*math.Pi*draw(m.seed, "angle", key, n))
	return time.Duration(math.Exp(simSigma*normal) * float64(time.Second))
}

// Answer implements llm.Model.
func (m *simModel) Answer(ctx context.Context, q llm.Question) (llm.Answer, error) {
	key := questionKey(q)
	n := m.begin(key)
	err := took(ctx, m.latency(key[:], n))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inFlight--
	m.last[simName.FindString(q.User)] = time.Now()
	if err != nil {
		m.lost++
		return llm.Answer{}, err
	}
	if draw(m.seed, "failure", key[:], n) < m.failures {
		return llm.Answer{}, unavailable
	}
	m.answered[key]++
	return llm.Answer{Text: simAnswer(q), Usage: llm.Usage{PromptTokens: 1000, CompletionTokens: 100}}, nil
}

func (m *simModel) begin(key [32]byte) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[key]++
	m.calls++
	m.inFlight++
	m.most = max(m.most, m.inFlight)
	return m.asked[key]
}

// twice returns how many answers a process got although one had got them before.
func (m *simModel) twice() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, times := range m.answered {
		n += times - 1
	}
	return n
}

var simName = regexp.MustCompile(`contract \d+`)

// simStages are the tasks that the router finds in each clause of a contract.
const simStages = 3 // the categories, the analyst of payments, and of the rest

// emptyCard has no fact.
const emptyCard = `{"type": "", "parties": [], "effective_date": {"date": "", "quote": ""}, "end_date": {"date": "", "quote": ""},
	"term": {"number": 0, "unit": "day", "quote": ""}, "renewal": {"number": 0, "unit": "day", "quote": ""},
	"notice": {"number": 0, "unit": "day", "quote": ""}, "sums": [], "precedence": {"quote": ""}, "definitions": [], "absent": []}`

// simAnswer has a finding for each task about a passage.
func simAnswer(q llm.Question) string {
	tasks, text, ok := analyst.Asked(q.Name, q.User)
	switch {
	case q.Name == card.SchemaName:
		return emptyCard
	case !ok:
		return `{"together": [], "same": [], "weights": [], "absent": []}`
	}
	var findings []string
	for _, t := range tasks[1:] {
		findings = append(findings, fmt.Sprintf(`{"task": %q, "quote": %q, "category": "other", "severity": "low", "title": "It is there",
			"explanation": "The passage names it.", "fallback": ""}`, t, simName.FindString(text)))
	}
	names, _ := json.Marshal(tasks)
	return fmt.Sprintf(`{"tasks": %s, "clauses": [], "findings": [%s]}`, names, strings.Join(findings, ", "))
}

// simContract is the text of a contract with as many chunks as are given.
func simContract(number, chunks int) string {
	var b strings.Builder
	for i := range chunks {
		fmt.Fprintf(&b, "%d. Clause\n\nThis is clause %d of contract %d. ", i+1, i, number)
		b.WriteString(strings.Repeat("Here is invoice. ", 3) + strings.Repeat("Words of a clause. ", 150) + "\n\n")
	}
	return b.String()
}
