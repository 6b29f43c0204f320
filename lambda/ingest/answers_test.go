package ingest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"
)

// recording is a file's right answer, as a model wrote it, and its mistakes.
type recording struct {
	Want     string         // pass, or person if the page itself is at fault
	Right    map[string]any // the answer
	Mistakes []mistake
}

// mistake changes the right answer. A model that is asked again answers rightly.
type mistake struct {
	What      string
	Want      string // mended or person
	Questions int
	Set       map[string]any // by path from the first document, or from the answer
}

func (r recording) with(t *testing.T, edits map[string]any) string {
	t.Helper()
	var answer map[string]any
	must.OK(t, json.Unmarshal(must.Get(json.Marshal(r.Right))(t), &answer))
	for path, value := range edits {
		at := answer["documents"].([]any)[0].(map[string]any)
		if _, whole := answer[path]; whole {
			at = answer
		}
		parts := strings.Split(path, ".")
		for _, p := range parts[:len(parts)-1] {
			at = at[p].(map[string]any)
		}
		if _, known := at[parts[len(parts)-1]]; !known {
			t.Fatalf("unknown member %s", path)
		}
		at[parts[len(parts)-1]] = value
	}
	return string(must.Get(json.Marshal(answer))(t))
}

// typed prints a text as a PDF, each page as it looks. A line with # is a heading; numbers end where
// their text ends.
func typed(text string) []byte {
	const left, char, top, row = 50, 5.3, 50, 13
	var pages [][]piece
	for _, page := range strings.Split(text, "\f") {
		var pieces []piece
		for i, line := range strings.Split(page, "\n") {
			size := 10.0
			if before, heading, ok := strings.Cut(line, "# "); ok {
				line, size = before+heading, 16
			}
			at := 0
			for _, cell := range strings.Split(line, "  ") {
				text := strings.TrimSpace(cell)
				start := at + strings.Index(cell, text)
				end := start + utf8.RuneCountInString(text)
				p := piece{x: left + char*float64(start), y: top + row*float64(i), size: size, text: text}
				if _, err := strconv.ParseFloat(strings.NewReplacer(".", "", ",", "", " EUR", "", " GBP", "", " ", "").Replace(text), 64); err == nil && at > 0 {
					p.x, p.right = left+char*float64(end), true
				}
				pieces, at = append(pieces, p), at+utf8.RuneCountInString(cell)+2
			}
		}
		pages = append(pages, pieces)
	}
	return printedPDF(pages)
}

// replay is a file, and a model over HTTP that gives the answers one after the other.
type replay struct {
	*rig
	answers []string
	asked   atomic.Int64
}

func newReplay(t *testing.T, file []byte) *replay {
	t.Helper()
	r := &replay{rig: newRigWith(t, file)}
	server := must.Get(scripted.Start(t.Context(), scripted.Options{Mind: func(q scripted.Question) string {
		return shown(q.User, r.answers[min(int(r.asked.Add(1)), len(r.answers))-1])
	}}))(t)
	t.Cleanup(server.Close)
	client := must.Get(openai.New(openai.Config{APIKey: "any", BaseURL: server.URL(), Model: "recorded"}))(t)
	r.Model = &llm.Asker{Model: client.Model(), Vault: forgets{}, Retry: llm.Retry{Tries: 1}}
	return r
}

// shown leaves out the documents without a page in the question, because the second question shows
// only what failed.
func shown(question, answer string) string {
	var a map[string]any
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		return err.Error()
	}
	hidden := func(page any) bool { return !strings.Contains(question, fmt.Sprintf("Page %v:", page)) }
	a["documents"] = slices.DeleteFunc(a["documents"].([]any), func(d any) bool {
		doc := d.(map[string]any)
		pages := slices.DeleteFunc(doc["pages"].([]any), hidden)
		doc["pages"] = pages
		return len(pages) == 0
	})
	raw, err := json.Marshal(a)
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// with ingests the file, once more from its checkpoint.
func (r *replay) with(t *testing.T, answers ...string) (docs []ingestion.Extracted, questions int) {
	t.Helper()
	r.answers = answers
	r.asked.Store(0)
	must.OK(t, r.ingest(t))
	return r.store.documents, int(r.asked.Load())
}

// outcomeOf is person, pass if the model was right at once, or mended; wrong if a key field differs from the
// right documents.
func outcomeOf(docs, right []ingestion.Extracted, atOnce bool) string {
	if slices.ContainsFunc(docs, func(d ingestion.Extracted) bool { return !d.Valid }) {
		return "person"
	}
	if len(docs) != len(right) {
		return "wrong"
	}
	for i := range docs {
		for _, path := range []string{"type", "number", "date", "currency", "supplier.name", "supplier.vat_id", "supplier.iban",
			"buyer.name", "buyer.vat_id", "subtotal", "tax", "total", "payment_terms.due", "line_items.0.amount", "line_items.1.amount"} {
			if !sameValue(valueAt(docs[i], path), valueAt(right[i], path)) {
				return "wrong: " + path
			}
		}
	}
	if atOnce {
		return "pass"
	}
	return "mended"
}

func reasonsOf(docs []ingestion.Extracted) (all []string) {
	for _, d := range docs {
		all = append(all, d.Reasons...)
	}
	return all
}

// Answers to the product's question, each right one with plausible mistakes, replayed over HTTP.
func TestRecordedAnswers(t *testing.T) {
	t.Parallel()
	files := must.Get(filepath.Glob("testdata/answers/*.json"))(t)
	var mu sync.Mutex
	var table []string
	row := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		table = append(table, fmt.Sprintf(format, args...))
	}
	t.Run("files", func(t *testing.T) {
		for _, name := range files {
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				var r recording
				must.OK(t, json.Unmarshal(must.Get(os.ReadFile(name))(t), &r))
				file := typed(string(must.Get(os.ReadFile(strings.TrimSuffix(name, ".json") + ".txt"))(t)))
				right := r.with(t, nil)
				model := newReplay(t, file)
				docs, questions := model.with(t, right)
				if got := outcomeOf(docs, docs, true); got != r.Want || questions != 1 {
					t.Errorf("right: %s after %d questions, want %s after 1: %q", got, questions, r.Want, reasonsOf(docs))
				}
				row("%-16s %-40s %-7s %d  %s", filepath.Base(name), "right", outcomeOf(docs, docs, true), questions, trusted(docs))
				for _, m := range r.Mistakes {
					got, questions := model.with(t, r.with(t, m.Set), right)
					outcome := outcomeOf(got, docs, false)
					row("%-16s %-40s %-7s %d  %q", filepath.Base(name), m.What, outcome, questions, reasonsOf(got))
					if outcome != m.Want || questions != m.Questions {
						t.Errorf("%s: %s after %d questions, want %s after %d: %q", m.What, outcome, questions, m.Want, m.Questions, reasonsOf(got))
					}
				}
			})
		}
	})
	slices.Sort(table)
	t.Logf("%d answers on %d files\n%s", len(table), len(files), strings.Join(table, "\n"))
	if len(files) != 12 {
		t.Errorf("%d files, want 12", len(files))
	}
}

// trusted counts the fields that more than the model names.
func trusted(docs []ingestion.Extracted) string {
	n, all := 0, 0
	for _, d := range docs {
		for _, f := range d.Fields {
			if all++; f.Trust != extraction.ModelAlone {
				n++
			}
		}
	}
	return fmt.Sprintf("%d of %d fields trusted", n, all)
}
