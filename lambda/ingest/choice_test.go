package ingest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/llm"

	"github.com/google/uuid"
)

// readings is an OCR whose reading of a page, and whose reading after a repair,
// are given.
type readings struct{ first, second transcript.Page }

func (r readings) Transcribe(context.Context, transcript.Images) (transcript.Transcription, error) {
	return transcript.Transcription{Engine: "test", Version: "1", Pages: []transcript.Page{r.first}}, nil
}

func (r readings) Repair(context.Context, transcript.Images, transcript.Transcription, float64) (
	transcript.Second, error,
) {
	return transcript.Second{Transcription: transcript.Transcription{Engine: "test", Version: "1",
		Pages: []transcript.Page{r.second}}, Images: map[int]*image.Gray{1: image.NewGray(image.Rect(0, 0, 2, 2))}}, nil
}

// page has one line for each of the texts.
func page(quality float64, lines ...string) transcript.Page {
	p := transcript.Page{Number: 1, Quality: quality}
	for i, text := range lines {
		top := float64(i) / 20
		p.Lines = append(p.Lines, transcript.Line{Text: text, Confidence: quality,
			Box: transcript.Box{Left: 0.1, Right: 0.9, Top: top, Bottom: top + 0.02}})
	}
	return p
}

// A repair can lose text: its reading is taken only if its quality is better by
// 0.05 and it has every required field of the first one.
func TestRepairKeepsFields(t *testing.T) {
	t.Parallel()
	whole := []string{"Sommer GmbH", "Rechnung", "Rechnungsnummer: 4402", "Rechnungsdatum: 20.02.2026", "Gesamtbetrag: 119,00 EUR"}
	for _, c := range []struct {
		name          string
		first, second transcript.Page
		taken         bool
	}{
		{"better, and as complete", page(0.4, whole...), page(0.6, whole...), true},
		{"more complete", page(0.4, whole[:4]...), page(0.6, whole...), true},
		{"better by less than the margin", page(0.4, whole...), page(0.44, whole...), false},
		{"worse", page(0.6, whole...), page(0.4, whole...), false},
		{"better, without the total", page(0.4, whole...), page(0.6, whole[:4]...), false},
		{"better, without the number", page(0.4, whole...), page(0.9, append(whole[:2:2], whole[3:]...)...), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRigWith(t, blankPNG(t))
			r.OCR = readings{c.first, c.second}
			must.OK(t, r.ingest(t))
			want, other := c.first, c.second
			if c.taken {
				want, other = other, want
			}
			folder := "ingestions/" + r.store.row.ID.String()
			if got := r.stored(t, folder+"/transcription.json"); got != want.Text() {
				t.Errorf("taken:\n%s\nwant:\n%s", got, want.Text())
			}
			if got := r.stored(t, folder+"/transcription-not-taken.json"); got != other.Text() {
				t.Errorf("kept beside it:\n%s\nwant:\n%s", got, other.Text())
			}
			if kept := r.store.row.Preprocessed != ""; kept != c.taken {
				t.Errorf("a repaired page is stored: %t, want %t", kept, c.taken)
			}
		})
	}
}

// stack is an OCR of two pages. The second lies upside down, and is read at its repair.
type stack struct{}

func (stack) Transcribe(context.Context, transcript.Images) (transcript.Transcription, error) {
	return transcript.Transcription{Engine: "test", Version: "1", Pages: []transcript.Page{
		page(0.9, strings.Split(strings.Repeat("Sommer GmbH, Rechnung 4402|", 30), "|")...),
		{Number: 2, Quality: 0.4, Lines: page(0.4, "HquiD sabeH", "Gesamtbetrag: 7,00 EUR").Lines}}}, nil
}

func (stack) Repair(_ context.Context, _ transcript.Images, first transcript.Transcription, _ float64) (
	transcript.Second, error,
) {
	second := transcript.Second{Transcription: first, Images: map[int]*image.Gray{2: image.NewGray(image.Rect(0, 0, 2, 2))}}
	second.Transcription.Pages = []transcript.Page{first.Pages[0],
		{Number: 2, Quality: 0.8, Placement: transcript.Placement{Turned: 2}, Lines: page(0.8, "Weber GmbH").Lines}}
	return second, nil
}

// The good pages of a stack, most of its text, don't keep a bad one as it is. What was read
// upside down is not missed.
func TestEachPageIsJudgedAlone(t *testing.T) {
	t.Parallel()
	for bar, want := range map[float64]string{0: "Weber GmbH\n", 0.3: "HquiD sabeH\nGesamtbetrag: 7,00 EUR\n"} {
		r := newRigWith(t, scannedPDF(t, 2))
		r.OCR, r.GoodEnough = stack{}, bar
		must.OK(t, r.ingest(t))
		_, second, _ := strings.Cut(r.stored(t, "ingestions/"+r.store.row.ID.String()+"/transcription.json"), "\f")
		if second != want {
			t.Errorf("below %g is repaired: got %q, want %q", bar, second, want)
		}
	}
}

// OCR_QUALITY moves the bar.
func TestGoodPageIsReadOnce(t *testing.T) {
	t.Parallel()
	for bar, again := range map[float64]bool{0: true, 0.7: true, 0.5: false} {
		r := newRigWith(t, blankPNG(t))
		r.OCR, r.GoodEnough = readings{page(0.6, "1"), page(0.9, "2")}, bar
		must.OK(t, r.ingest(t))
		want := "1\n"
		if again {
			want = "2\n"
		}
		if got := r.stored(t, "ingestions/"+r.store.row.ID.String()+"/transcription.json"); got != want {
			t.Errorf("below %g is repaired, and 0.6 was read: got %q, want %q", bar, got, want)
		}
	}
}

func blankPNG(t *testing.T) []byte {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 200, 200))
	for i := range m.Pix {
		m.Pix[i] = 0xff
	}
	var b bytes.Buffer
	must.OK(t, png.Encode(&b, m))
	return b.Bytes()
}

func (r *rig) stored(t *testing.T, key string) string {
	t.Helper()
	data, err := r.blobs.Read(t.Context(), key, 1<<20)
	must.OK(t, err)
	text, err := transcript.Decode(data)
	must.OK(t, err)
	return strings.TrimRight(text.Text(), "\f")
}

// answers is a model that gives them one after the other, and keeps the questions.
type answers struct {
	list  []string
	asked []llm.Question
}

func (*answers) Name() string { return "test-model" }

func (a *answers) Answer(_ context.Context, q llm.Question) (llm.Answer, error) {
	a.asked = append(a.asked, q)
	return llm.Answer{Text: a.list[len(a.asked)-1], Usage: llm.Usage{PromptTokens: 100, CompletionTokens: 10}}, nil
}

// forgets is a vault without answers.
type forgets struct{}

func (forgets) FindAnswer(context.Context, llm.Key) (int64, string, bool, error) {
	return 0, "", false, nil
}
func (forgets) KeepAnswer(context.Context, llm.Key, uuid.UUID, llm.Answer, string) (int64, error) {
	return 1, nil
}
func (forgets) DiscardAnswer(context.Context, int64, string) error { return nil }

// twoInvoices is a text file with two invoices.
const twoInvoices = `Sommer GmbH
Rechnung Nr. A-1 vom 20.02.2026
Netto 100,00 EUR MwSt. 19 % 19,00 EUR Brutto 119,00 EUR
Sommer GmbH
Rechnung Nr. A-2 vom 21.02.2026
Netto 200,00 EUR MwSt. 19 % 38,00 EUR Brutto 238,00 EUR`

// answered is the model's answer with these documents.
func answered(docs ...string) string {
	return `{"documents":[` + strings.Join(docs, ",") + `],"missing_fields":[],"confidence":"high"}`
}

// invoiceOf is an invoice of the answer. The values are written as in the text.
func invoiceOf(t *testing.T, number, date, subtotal, tax, total string) string {
	t.Helper()
	field := func(value, quote string) map[string]any {
		return map[string]any{"value": value, "quote": quote}
	}
	printed := func(v string) string { return strings.ReplaceAll(v, ".", ",") + " EUR" }
	none := map[string]any{"name": nil, "vat_id": nil, "iban": nil, "address": nil}
	supplier := map[string]any{"name": field("Sommer GmbH", "Sommer GmbH"), "vat_id": nil, "iban": nil, "address": nil}
	raw, err := json.Marshal(map[string]any{
		"delivery_date": nil, "payee": map[string]any{"name": nil, "iban": nil}, "buyer_reference": nil,
		"prepaid": nil, "rounding": nil, "amount_due": nil, "type": "invoice", "pages": []int{1}, "number": field(number, "Nr. "+number), "date": field("2026-02-"+date[:2], date),
		"currency": field("EUR", "EUR"), "subtotal": field(subtotal, printed(subtotal)), "tax": field(tax, printed(tax)),
		"total": field(total, printed(total)), "supplier": supplier, "buyer": none,
		"period": map[string]any{"from": nil, "to": nil}, "payment_terms": map[string]any{"due": nil, "text": nil},
		"references": []any{}, "line_items": []any{}, "taxes": []any{}, "charges": []any{},
	})
	must.OK(t, err)
	return string(raw)
}

// A document that does not pass the gate is worth one more question. Its answer
// is taken if less is wrong in it, and no document of the first is missing.
func TestRetryKeepsDocuments(t *testing.T) {
	t.Parallel()
	one, two := invoiceOf(t, "A-1", "20.02.2026", "100.00", "19.00", "119.00"), invoiceOf(t, "A-2", "21.02.2026", "200.00", "38.00", "238.00")
	wrong := invoiceOf(t, "A-2", "21.02.2026", "100.00", "38.00", "238.00") // the sums do not agree
	worse := invoiceOf(t, "A-9", "21.02.2026", "100.00", "38.00", "238.00") // nor is the number printed
	for _, c := range []struct {
		name          string
		first, second string
		want          string // the numbers, and whether each passed the gate
	}{
		{"right at once", answered(one, two), "", "A-1 true, A-2 true"},
		{"right the second time", answered(one, wrong), answered(one, two), "A-1 true, A-2 true"},
		{"wrong again", answered(one, wrong), answered(one, wrong), "A-1 true, A-2 false"},
		{"worse", answered(one, wrong), answered(one, worse), "A-1 true, A-2 false"},
		{"the wrong one left out", answered(one, wrong), answered(one), "A-1 true, A-2 false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRigWith(t, []byte(twoInvoices))
			model := &answers{list: []string{c.first, c.second}}
			r.Model = &llm.Asker{Model: model, Vault: forgets{}, Retry: llm.Retry{Tries: 1}}
			must.OK(t, r.ingest(t))
			var got []string
			for _, d := range r.store.documents {
				got = append(got, fmt.Sprintf("%s %t", d.Data.Number, d.Valid))
			}
			if list := strings.Join(got, ", "); list != c.want {
				t.Errorf("got %s, want %s: %s", list, c.want, text(r.store.documents))
			}
			questions := 1
			if c.second != "" {
				questions = 2
			}
			if paid := r.store.documents[0].InputTokens; len(model.asked) != questions || paid != 100*questions {
				t.Errorf("%d questions, %d tokens paid, want %d questions", len(model.asked), paid, questions)
			}
		})
	}
}
