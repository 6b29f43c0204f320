package gate_test

import (
	"context"
	"encoding/json"
	"maps"
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
	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"
	"matchbook/lambda/llm/openai"
	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

// field is a value as the oracle answers it.
type field struct {
	Value string `json:"value"`
	Quote string `json:"quote"`
	Page  int    `json:"-"`
}

// row is a printed row: its values have one quote.
type row map[string]*field

// MarshalJSON writes the values, and the quote of the amount.
func (r row) MarshalJSON() ([]byte, error) {
	plain := map[string]any{"quote": "-"}
	for name, f := range r {
		if plain[name] = nil; f != nil {
			plain[name] = f.Value
		}
	}
	if f := r["amount"]; f != nil {
		plain["quote"] = f.Quote
	}
	return json.Marshal(plain)
}

// party has its ids without quotes.
type party struct {
	Name    *field  `json:"name"`
	VATID   *string `json:"vat_id"`
	IBAN    *string `json:"iban"`
	Address *string `json:"address"`
}

// answer is the form of an answer, written by hand.
type answer struct {
	Confidence string   `json:"confidence"`
	Missing    []string `json:"missing_fields"`
	Documents  []record `json:"documents"`
}

type record struct {
	Type       string            `json:"type"`
	Pages      []int             `json:"pages"`
	Number     *field            `json:"number"`
	Date       *field            `json:"date"`
	Currency   *field            `json:"currency"`
	Subtotal   *field            `json:"subtotal"`
	Tax        *field            `json:"tax"`
	Total      *field            `json:"total"`
	Supplier   party             `json:"supplier"`
	Buyer      party             `json:"buyer"`
	Period     map[string]*field `json:"period"`
	Terms      map[string]*field `json:"payment_terms"`
	References []map[string]any  `json:"references"`
	Lines      []row             `json:"line_items"`
	Taxes      []row             `json:"taxes"`
	Charges    []row             `json:"charges"`
	Delivered  *field            `json:"delivery_date"`
	Payee      map[string]*field `json:"payee"`
	Reference  *field            `json:"buyer_reference"`
	Prepaid    *field            `json:"prepaid"`
	Rounding   *field            `json:"rounding"`
	Due        *field            `json:"amount_due"`
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

func (o oracle) party(p document.Party) party {
	id := func(id string, check func(string) (string, bool)) *string {
		if _, ok := check(id); !ok || o.word(id) == nil {
			return nil // invented ids of the samples: the gate refuses them rightly
		}
		return &id
	}
	return party{Name: o.word(p.Name), VATID: id(p.VATID, company.VATID), IBAN: id(p.IBAN, company.IBAN)}
}

// rows adds the row that prints an amount, with the most of the other values.
func (o oracle) rows(to []row, amount document.Amount, others map[string]document.Amount, words map[string]string) []row {
	var best row
	for _, p := range o.text.Pages {
		for _, text := range printedRows(p) {
			r := row{"amount": shown(text, amount)}
			for name, a := range others {
				r[name] = shown(text, a)
			}
			for name, w := range words {
				if r[name] = nil; w != "" && strings.Contains(printed.Letters(text), printed.Letters(w)) {
					r[name] = &field{w, text, p.Number}
				}
			}
			if r["amount"] != nil && r.known() >= best.known() {
				best = r
			}
		}
	}
	if best == nil {
		return to
	}
	return append(to, best)
}

func (r row) known() (n int) {
	for _, f := range r {
		if f != nil {
			n++
		}
	}
	return n
}

// shown returns an amount as the text prints it.
func shown(text string, a document.Amount) *field {
	for _, x := range printed.Amounts(text) {
		if !a.IsZero() && slices.ContainsFunc(x.Readings, a.Equal) {
			return &field{a.Canonical(), text, 0}
		}
	}
	return nil
}

// printedRows joins the lines of each row.
func printedRows(p transcript.Page) (all []string) {
	for i, l := range p.Lines {
		if i > 0 && l.Box.Left > p.Lines[i-1].Box.Right && l.Box.Top < p.Lines[i-1].Box.Bottom {
			all[len(all)-1] += " " + l.Text
			continue
		}
		all = append(all, l.Text)
	}
	return all
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
		Payee:      map[string]*field{"name": nil, "iban": nil},
		References: []map[string]any{}, Lines: []row{}, Taxes: []row{}, Charges: []row{}}
	for _, p := range o.text.Pages {
		doc.Pages = append(doc.Pages, p.Number)
	}
	for _, r := range d.References {
		if n := o.word(r.Number); n != nil {
			doc.References = append(doc.References, map[string]any{"type": "other", "number": n.Value, "quote": n.Quote})
		}
	}
	for _, l := range d.Lines {
		if l.Amount.IsZero() {
			continue // a note among the lines
		}
		doc.Lines = o.rows(doc.Lines, l.Amount,
			map[string]document.Amount{"quantity": l.Quantity, "unit_price": l.UnitPrice, "price_quantity": {}, "tax_rate": {}},
			map[string]string{"description": l.Description, "sku": "", "unit": ""})
	}
	for _, x := range d.Taxes {
		doc.Taxes = o.rows(doc.Taxes, x.Amount, map[string]document.Amount{"rate": x.Rate, "base": x.Base}, nil)
	}
	charges := map[string]document.Amount{} // the page prints one for all rates
	for _, x := range d.Charges {
		charges[x.Description] = charges[x.Description].Plus(x.Amount)
	}
	for _, name := range slices.Sorted(maps.Keys(charges)) {
		doc.Charges = o.rows(doc.Charges, charges[name], map[string]document.Amount{"tax_rate": {}}, map[string]string{"description": ""})
	}
	return answer{"high", []string{}, []record{doc}}
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
	found, _, err := r.Extract(t.Context(), uuid.New(), uuid.New(), s.text)
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %d documents, %v", s.name, len(found), err)
	}
	reasons := gate.PassAnswer(&found[0], s.text, today, true)
	return reasons, found[0]
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
