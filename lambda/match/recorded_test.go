package match

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// recorded is a folder of documents that cite no numbers, and a language model's verdicts on pairs
// of them. It was asked the product's own questions, and didn't see the links.
type recorded struct {
	docs  []score.Raw
	links map[[2]uuid.UUID]bool
	// verdicts are by a hash of the two documents' texts.
	verdicts map[[8]byte]verdict
	used     map[[8]byte]bool // the ones of a question
}

// With a model's answers about the pairs that the rules leave open, F1 is at least .08 better. It
// is asked about each pair once, and is right where it is sure.
func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	recorded := 0
	for _, folder := range []string{"silberdistel", "ondine"} {
		c := readRecorded(t, folder)
		byRules, model := f1(c, c.matched(t, nil)), &fakeModel{think: c.replay}
		m := c.matched(t, model)
		withModel, asked, answered := f1(c, m), verdicts(model.asked), m.answered()
		t.Logf("%s: F1 %.3f by rules, %.3f with the model; asked about %d pairs, %d times; %d of %d recorded pairs were asked about",
			folder, byRules, withModel, answered, asked, len(c.used), len(c.verdicts))
		if withModel < byRules+0.08 || float64(asked) > 1.1*float64(answered) {
			t.Errorf("%s: F1 %.3f with a model and %.3f without; asked %d times about %d pairs", folder, withModel, byRules, asked, answered)
		}
		c.calibrated(t, m)
		recorded += len(c.verdicts)
		if len(c.used) < answered*3/4 {
			t.Errorf("%s: %d of %d pairs have a recorded answer", folder, len(c.used), answered)
		}
	}
	if recorded < 150 {
		t.Errorf("%d pairs are recorded", recorded)
	}
}

func readRecorded(t *testing.T, folder string) recorded {
	t.Helper()
	dir := filepath.Join("testdata", "recorded", folder)
	c := recorded{links: map[[2]uuid.UUID]bool{}, verdicts: map[[8]byte]verdict{}, used: map[[8]byte]bool{}}
	byID := map[uuid.UUID]string{}
	jsonLines(t, filepath.Join(dir, "documents.jsonl"), func(d struct {
		ID       uuid.UUID       `json:"id"`
		TenantID uuid.UUID       `json:"tenant_id"`
		Type     document.Type   `json:"type"`
		Data     json.RawMessage `json:"structured_data"`
	}) {
		raw := score.Raw{ID: d.ID, TenantID: d.TenantID, Type: d.Type, Data: string(d.Data)}
		c.docs, byID[d.ID] = append(c.docs, raw), must.Get(PromptOf(raw))(t)
	})
	for _, line := range strings.Fields(string(must.Get(os.ReadFile(filepath.Join(dir, "links.csv")))(t)))[1:] {
		a, b, _ := strings.Cut(line, ",")
		c.links[ordered(uuid.MustParse(a), uuid.MustParse(b))] = true
	}
	jsonLines(t, filepath.Join(dir, "answers.jsonl"), func(a struct {
		Document, Candidate uuid.UUID
		Verdict             rules.Answer
		Evidence            string
	}) {
		c.verdicts[hashOf(byID[a.Document], byID[a.Candidate])] = verdict{Evidence: a.Evidence, Verdict: a.Verdict}
	})
	return c
}

// jsonLines reads a file of JSON lines.
func jsonLines[T any](t *testing.T, path string, read func(T)) {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		var line T
		must.OK(t, json.Unmarshal(scanner.Bytes(), &line))
		read(line)
	}
}

func hashOf(document, candidate string) (hash [8]byte) {
	sum := sha256.Sum256([]byte(document + "\x00" + candidate))
	copy(hash[:], sum[:])
	return hash
}

// shown are the texts of the documents in a question: the document, and the candidates.
var shown = regexp.MustCompile(`(?s)<<<(?:document|candidate)\n(.*?)(?:known: [^\n]*\n)?(?:document|candidate)>>>`)

// replay answers with the recorded verdicts, and low about a pair without one. When they were
// recorded, questions had no conversions of units: a verdict on a pair with one doesn't count.
func (c recorded) replay(q llm.Question) (string, error) {
	texts, parts := shown.FindAllStringSubmatch(q.User, -1), strings.Split(q.User, "\nCandidate ")
	var answer struct {
		Candidates []verdict `json:"candidates"`
	}
	for i, candidate := range texts[1:] {
		hash := hashOf(texts[0][1], candidate[1])
		v, ok := c.verdicts[hash]
		if computed, _, _ := strings.Cut(parts[i+1], "<<<"); !ok || strings.Contains(computed, "\nunits: ") {
			v = verdict{Evidence: "nothing recorded", Verdict: rules.Low}
		} else {
			c.used[hash] = true
		}
		v.Candidate = i + 1
		answer.Candidates = append(answer.Candidates, v)
	}
	text, err := json.Marshal(answer)
	return string(text), err
}

// matched matches the documents in their order, and again those that must ask.
func (c recorded) matched(t *testing.T, model *fakeModel) *memory {
	t.Helper()
	m, queue := newMemory(c.docs), &outbox{}
	matcher := &Matcher{Store: m, Log: slog.New(slog.DiscardHandler), Sender: queue}
	if model != nil {
		matcher.Model = asker(model, newVault())
	}
	queue.drain(t, matcher, idsOf(c.docs), func(_ uuid.UUID, err error) { t.Error(err) })
	return m
}

func f1(c recorded, m *memory) float64 {
	right := 0
	for pair := range m.matches {
		if c.links[ordered(pair[0], pair[1])] {
			right++
		}
	}
	return 2 * float64(right) / float64(len(m.matches)+len(c.links))
}

// calibrated checks how often the verdicts were right, and prints it.
func (c recorded) calibrated(t *testing.T, m *memory) {
	t.Helper()
	pairs, right := map[rules.Answer]int{}, map[rules.Answer]int{}
	for pair, p := range m.pairs {
		if p.Asked.Answer == "" {
			continue
		}
		if pairs[p.Asked.Answer]++; c.links[ordered(pair[0], pair[1])] {
			right[p.Asked.Answer]++
		}
	}
	for _, answer := range []rules.Answer{rules.High, rules.Medium, rules.Low, rules.None} {
		t.Logf("%6s: %d of %d true", answer, right[answer], pairs[answer])
	}
	if right[rules.High]*100 < pairs[rules.High]*97 {
		t.Errorf("%d of %d sure answers are true", right[rules.High], pairs[rules.High])
	}
}
