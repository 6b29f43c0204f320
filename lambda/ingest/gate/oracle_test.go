package gate_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/company"
	"matchbook/lambda/document"
	"matchbook/lambda/einvoice"
	"matchbook/lambda/ingest/bymodel"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/ingest/pdf"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

// sample is a PDF with the truth of its embedded XML.
type sample struct {
	name  string
	text  transcript.Transcription
	truth einvoice.Document
}

// samples reads the shared invoices that have a truth.
func samples(t *testing.T) (all []sample) {
	t.Helper()
	dir := filepath.Join(cmp.Or(os.Getenv("MATCHBOOK_SHARED"), filepath.Join("..", "..", "..", "..", "shared")),
		"eval", "ingestion", "invoices")
	reader, err := pdf.New(pdf.Config{CacheDir: filepath.Join(os.TempDir(), "matchbook-pdfium")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = reader.Close() })
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".pdf") {
			if s, ok := sampleOf(t, reader, path); ok {
				s.name, _ = filepath.Rel(dir, path)
				all = append(all, s)
			}
		}
		return err
	})
	if err != nil {
		t.Skipf("no invoices (set MATCHBOOK_SHARED): %v", err)
	}
	return all
}

func sampleOf(t *testing.T, reader *pdf.Reader, path string) (s sample, ok bool) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := reader.Open(t.Context(), bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(path, err)
	}
	defer file.Close()
	s.text = transcript.Transcription{Engine: pdf.Engine, Version: pdf.Version}
	for n := range file.Pages() {
		page, err := file.Text(t.Context(), n+1)
		if err != nil {
			t.Fatal(path, err)
		}
		s.text.Pages = append(s.text.Pages, page)
	}
	embedded, err := file.Embedded(t.Context())
	if err != nil || len(embedded) == 0 {
		return s, false
	}
	s.truth, err = einvoice.Read(bytes.NewReader(embedded[0].Content))
	return s, err == nil
}

// field is a value as the oracle answers it.
type field struct {
	Value string `json:"value"`
	Quote string `json:"quote"`
	Page  int    `json:"page"`
}

// answer is the form of an answer, written by hand from the issue.
type answer struct {
	Successful bool     `json:"extraction_successful"`
	Confidence string   `json:"confidence"`
	Missing    []string `json:"missing_fields"`
	Documents  []record `json:"documents"`
}

type record struct {
	Type       string              `json:"type"`
	Pages      []int               `json:"pages"`
	Number     *field              `json:"number"`
	Date       *field              `json:"date"`
	Currency   *field              `json:"currency"`
	Subtotal   *field              `json:"subtotal"`
	Tax        *field              `json:"tax"`
	Total      *field              `json:"total"`
	Supplier   map[string]*field   `json:"supplier"`
	Buyer      map[string]*field   `json:"buyer"`
	Period     map[string]*field   `json:"period"`
	Terms      map[string]*field   `json:"payment_terms"`
	References []map[string]any    `json:"references"`
	Lines      []map[string]*field `json:"line_items"`
	Taxes      []map[string]*field `json:"taxes"`
	Charges    []map[string]*field `json:"charges"`
}

// oracle knows the truth and looks for it on the pages.
type oracle struct{ sample }

func (o oracle) amount(a document.Amount, money bool) *field {
	if a.IsZero() {
		return nil
	}
	for _, p := range slices.Backward(o.text.Pages) { // sums stand at the end
		for _, l := range slices.Backward(p.Lines) {
			for _, x := range printed.Amounts(l.Text) {
				if (x.Money || !money) && slices.ContainsFunc(x.Readings, a.Equal) {
					return &field{a.Canonical(), l.Text, p.Number}
				}
			}
		}
	}
	return nil
}

func (o oracle) date(d document.Date) *field {
	for _, p := range o.text.Pages {
		for _, l := range p.Lines {
			for _, x := range printed.Dates(l.Text) {
				if slices.Contains(x.Readings, d) {
					return &field{d.String(), l.Text, p.Number}
				}
			}
		}
	}
	return nil
}

func (o oracle) word(s string) *field {
	for _, p := range o.text.Pages {
		for _, l := range p.Lines {
			if s != "" && strings.Contains(l.Text, s) && printed.QuotesOf(o.text).On(p.Number, s) {
				return &field{s, l.Text, p.Number}
			}
		}
	}
	return nil
}

func (o oracle) party(p document.Party) map[string]*field {
	valid := func(id string, check func(string) (string, bool)) string {
		if _, ok := check(id); !ok {
			return "" // invented ids of the samples: the gate refuses them rightly
		}
		return id
	}
	return map[string]*field{"name": o.word(p.Name), "address": nil,
		"vat_id": o.word(valid(p.VATID, company.VATID)), "iban": o.word(valid(p.IBAN, company.IBAN))}
}

// answer is the right one: every field that is printed.
func (o oracle) answer() answer {
	d := o.truth.Data
	doc := record{Type: string(o.truth.Type), Number: o.word(d.Number), Date: o.date(d.Date), Currency: o.word(d.Currency),
		Subtotal: o.amount(d.Subtotal, true), Tax: o.amount(d.Tax, true), Total: o.amount(d.Total, true),
		Supplier: o.party(d.Supplier), Buyer: o.party(d.Buyer), Period: map[string]*field{"from": nil, "to": nil},
		Terms:      map[string]*field{"due": o.date(d.Terms.Due), "text": nil},
		References: []map[string]any{}, Lines: []map[string]*field{}, Taxes: []map[string]*field{}, Charges: []map[string]*field{}}
	for _, p := range o.text.Pages {
		doc.Pages = append(doc.Pages, p.Number)
	}
	for _, r := range d.References {
		if n := o.word(r.Number); n != nil {
			doc.References = append(doc.References, map[string]any{"type": "other", "number": n})
		}
	}
	for _, l := range d.Lines {
		if l.Amount.IsZero() {
			continue // a note among the lines
		}
		doc.Lines = append(doc.Lines, map[string]*field{"sku": nil, "description": o.word(l.Description), "unit": nil,
			"quantity": o.amount(l.Quantity, false), "unit_price": o.amount(l.UnitPrice, false),
			"amount": o.amount(l.Amount, true), "tax_rate": nil})
	}
	for _, x := range d.Taxes {
		doc.Taxes = append(doc.Taxes, map[string]*field{"rate": o.amount(x.Rate, false), "base": o.amount(x.Base, true), "amount": o.amount(x.Amount, true)})
	}
	for _, x := range d.Charges {
		doc.Charges = append(doc.Charges, map[string]*field{"description": nil, "amount": o.amount(x.Amount, true), "tax_rate": nil})
	}
	return answer{true, "high", []string{}, []record{doc}}
}

// bench asks a scripted model over HTTP and passes its answer through the gate.
type bench struct {
	mu     sync.Mutex
	next   string
	client llm.Model
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{}
	server, err := scripted.Start(t.Context(), scripted.Options{Mind: func(scripted.Question) string { return b.next }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client, err := openai.New(openai.Config{APIKey: "any", BaseURL: server.URL(), Model: "oracle"})
	if err != nil {
		t.Fatal(err)
	}
	b.client = client.Model()
	return b
}

// reasons returns the reasons of the gate against an answer.
func (b *bench) reasons(t *testing.T, s sample, a answer) ([]gate.Reason, extraction.Extraction) {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = string(raw)
	r := bymodel.Reader{Asker: &llm.Asker{Model: b.client, Vault: forgetful{}, Retry: llm.Retry{Tries: 1}}}
	found, _, err := r.Extract(t.Context(), uuid.New(), uuid.New(), s.text, nil)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %d documents, %v", s.name, len(found), err)
	}
	return gate.Pass(&found[0], s.text, time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)), found[0]
}

// forgetful is a vault that keeps nothing.
type forgetful struct{}

func (forgetful) FindAnswer(context.Context, llm.Key) (int64, string, bool, error) {
	return 0, "", false, nil
}
func (forgetful) KeepAnswer(context.Context, llm.Key, uuid.UUID, llm.Answer, string) (int64, error) {
	return 1, nil
}
func (forgetful) DiscardAnswer(context.Context, int64, string) error { return nil }

// mistakes make an answer wrong; false where the document has no place for it.
var mistakes = map[string]func(*rand.Rand, sample, *record) bool{
	"totals swapped": func(_ *rand.Rand, _ sample, d *record) bool {
		if d.Subtotal == nil || d.Total == nil || d.Subtotal.Value == d.Total.Value {
			return false
		}
		d.Subtotal, d.Total = d.Total, d.Subtotal
		return true
	},
	"another amount as total": func(r *rand.Rand, s sample, d *record) bool {
		return other(r, s, d, func(f *field) { d.Total = f }, d.Total)
	},
	"wrong tax rate": func(r *rand.Rand, _ sample, d *record) bool {
		for _, i := range r.Perm(len(d.Taxes)) {
			x := d.Taxes[i]
			if x["rate"] != nil && x["base"] != nil && x["amount"] != nil && x["amount"].Value != "0" {
				for _, y := range d.Taxes {
					if y["rate"] != nil && y["rate"].Value != x["rate"].Value {
						x["rate"] = y["rate"]
						return true
					}
				}
				wrong := *x["rate"]
				wrong.Value = "16"
				x["rate"] = &wrong
				return true
			}
		}
		return false
	},
	"a line left out": func(r *rand.Rand, _ sample, d *record) bool {
		if len(d.Lines) < 2 {
			return false
		}
		i := r.IntN(len(d.Lines))
		amount := d.Lines[i]["amount"]
		d.Lines = slices.Delete(d.Lines, i, i+1)
		return amount == nil || amount.Value != "0" // without an amount it is a note
	},
	"an invented quote": func(r *rand.Rand, _ sample, d *record) bool {
		f := []**field{&d.Number, &d.Date, &d.Total}[r.IntN(3)]
		if *f == nil {
			return false
		}
		wrong := **f
		wrong.Quote = "Certified: " + wrong.Quote
		*f = &wrong
		return true
	},
	"the number of something else": elsewhere,
}

// other picks another printed amount.
func other(r *rand.Rand, s sample, _ *record, set func(*field), right *field) bool {
	var all []*field
	for _, p := range s.text.Pages {
		for _, l := range p.Lines {
			for _, a := range printed.Amounts(l.Text) {
				if a.Money && right != nil && len(a.Readings) == 1 && a.Readings[0].Canonical() != right.Value {
					all = append(all, &field{a.Readings[0].Canonical(), l.Text, p.Number})
				}
			}
		}
	}
	if len(all) == 0 {
		return false
	}
	set(all[r.IntN(len(all))])
	return true
}

// elsewhere picks another number that is printed, on another page if there is
// one.
func elsewhere(r *rand.Rand, s sample, d *record) bool {
	if d.Number == nil {
		return false
	}
	var here, there []*field
	for _, p := range s.text.Pages {
		for _, l := range p.Lines {
			for _, w := range strings.Fields(l.Text) {
				w = strings.Trim(w, "().,:;")
				if len(w) < 4 || !strings.ContainsAny(w, "0123456789") || strings.Contains(d.Number.Quote, w) || w == d.Number.Value ||
					!printed.QuotesOf(s.text).On(p.Number, w) {
					continue
				}
				if p.Number == d.Number.Page {
					here = append(here, &field{w, l.Text, p.Number})
				} else {
					there = append(there, &field{w, l.Text, p.Number})
				}
			}
		}
	}
	if len(there) == 0 {
		there = here
	}
	if len(there) == 0 {
		return false
	}
	d.Number = there[r.IntN(len(there))]
	return true
}

func TestGateAcceptsTheTruthAndRefusesSeededMistakes(t *testing.T) {
	t.Parallel()
	all := samples(t)
	b := newBench(t)
	right, accepted := 0, 0
	wrong, refused := map[string]int{}, map[string]int{}
	for _, s := range all {
		truth := oracle{s}.answer()
		d := truth.Documents[0]
		if d.Number == nil || d.Date == nil || d.Total == nil || d.Supplier["name"] == nil {
			t.Logf("%s does not print a required field", s.name)
			continue
		}
		reasons, _ := b.reasons(t, s, truth)
		right++
		if len(reasons) == 0 {
			accepted++
		} else {
			t.Errorf("%s: the truth is refused: %v", s.name, reasons)
			continue
		}
		for name, make := range mistakes {
			for seed := range uint64(5) {
				a := oracle{s}.answer()
				if !make(rand.New(rand.NewPCG(seed, 14)), s, &a.Documents[0]) {
					continue
				}
				wrong[name]++
				reasons, e := b.reasons(t, s, a)
				if len(reasons) > 0 {
					refused[name]++
				} else {
					t.Logf("%s: %s (seed %d) passes: number %v, total %v", s.name, name, seed, e.Data.Number, e.Data.Total.Fixed())
				}
				if total := e.Fields["total"]; total.Trust == extraction.Arithmetic && total.Value != d.Total.Value {
					t.Errorf("%s: %s: the wrong total %s is trusted", s.name, name, total.Value)
				}
			}
		}
	}
	n, caught := 0, 0
	for name := range mistakes {
		n, caught = n+wrong[name], caught+refused[name]
		t.Logf("%s: %d of %d refused", name, refused[name], wrong[name])
	}
	t.Logf("%d of %d right extractions accepted, %d of %d wrong ones refused", accepted, right, caught, n)
	if accepted < right || 100*caught < 98*n || n < 200 {
		t.Error("want all right ones accepted, and at least 98 % of 200 wrong ones refused")
	}
}
