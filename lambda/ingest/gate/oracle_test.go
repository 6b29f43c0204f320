package gate_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/bymodel"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/gate"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

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

// currency is printed as a code or a sign.
func (o oracle) currency(code string) *field {
	for _, s := range []string{code, map[string]string{"EUR": "€", "USD": "$", "GBP": "£"}[code]} {
		if f := o.word(s); f != nil {
			return &field{code, f.Quote, f.Page}
		}
	}
	return nil
}

// answer is the right one: every field that is printed.
func (o oracle) answer() answer {
	d := o.truth.Data
	doc := record{Type: string(o.truth.Type), Number: o.word(d.Number), Date: o.date(d.Date), Currency: o.currency(d.Currency),
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
	server := must.Get(scripted.Start(t.Context(), scripted.Options{Mind: func(scripted.Question) string { return b.next }}))(t)
	t.Cleanup(server.Close)
	client := must.Get(openai.New(openai.Config{APIKey: "any", BaseURL: server.URL(), Model: "oracle"}))(t)
	b.client = client.Model()
	return b
}

// reasons returns the reasons of the gate against an answer.
func (b *bench) reasons(t *testing.T, s sample, a answer) ([]gate.Reason, extraction.Extraction) {
	t.Helper()
	raw := must.Get(json.Marshal(a))(t)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = string(raw)
	r := bymodel.Reader{Asker: &llm.Asker{Model: b.client, Vault: forgetful{}, Retry: llm.Retry{Tries: 1}}}
	found, _, err := r.Extract(t.Context(), uuid.New(), uuid.New(), s.text, nil)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %d documents, %v", s.name, len(found), err)
	}
	return gate.Pass(&found[0], s.text, today), found[0]
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

func TestSeededMistakes(t *testing.T) {
	t.Parallel()
	testenv.OnlyThorough(t, "checks hundreds of mistakes")
	all := samples(t)
	b := newBench(t)
	right, accepted := 0, 0
	wrong, refused := map[string]int{}, map[string]int{}
	for _, s := range all {
		if s.truth.Type == "" {
			continue
		}
		truth := oracle{s}.answer()
		d := truth.Documents[0]
		if d.Number == nil || d.Date == nil || d.Total == nil || d.Currency == nil || d.Supplier["name"] == nil {
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
	if accepted < right || 100*caught < 98*n || n < 400 {
		t.Error("want all right ones accepted, and at least 98 % of 400 wrong ones refused")
	}
}
