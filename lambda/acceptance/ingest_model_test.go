package acceptance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/local/scripted"
	"matchbook/lambda/local/sqs"
	"matchbook/lambda/manifest"

	"github.com/google/uuid"
)

// modelOffice is an office whose ingest function asks a scripted server.
type modelOffice struct {
	*office
	model *scripted.Server
}

func newModelOffice(t *testing.T, mind scripted.Mind, env ...string) *modelOffice {
	t.Helper()
	server := startModel(t, scripted.Options{Mind: mind})
	return &modelOffice{newOffice(t, append(asksModel(server.URL()), env...)...), server}
}

// state is what a person reads about an ingestion and its document.
func (o *office) state(id uuid.UUID) string {
	o.t.Helper()
	return query[string](o.line, `SELECT concat_ws(' ', i.status, i.attempts, d.type, d.structured_data ->> 'number',
		d.structured_data -> 'supplier' ->> 'name', d.structured_data ->> 'total', i.fields -> 'total' ->> 'trust',
		split_part(i.extraction_model, '@', 1),
		CASE WHEN d.needs_human_review THEN 'for a person: ' || array_to_string(i.review_reasons, '; ') END, i.error)
		FROM ingestion AS i JOIN document AS d ON d.id = i.document_id WHERE i.id = $1`, id)
}

// publishes counts the messages that were sent about a document for matching.
func (o *office) publishes(document uuid.UUID) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, e := range o.log {
		if e.Kind == sqs.Sent && e.Queue == manifest.Match.Name && e.Body == document.String() {
			n++
		}
	}
	return n
}

// textPage is the text of the page that pageTSV has, with another number.
const textPage = `Sommer GmbH
Rechnung
Rechnungsnummer 4403
Rechnungsdatum 20.02.2026
Zwischensumme 100,00
19 % MwSt. 19,00
Gesamtbetrag 119,00 EUR
`

// A text and a scan go in; the model's answers come out grounded, past the
// gate, and published for matching. Each question is asked once.
func TestModelExtracts(t *testing.T) {
	t.Parallel()
	o := newModelOffice(t, func(q scripted.Question) string {
		if strings.Contains(q.User, "4403") {
			return newPrintedInvoice("4403").answer(t, "")
		}
		return newPrintedInvoice("4402").answer(t, "")
	}, newOCR(t).env()...)
	text, scan := o.lay("invoice.txt", []byte(textPage)), o.lay("scan.jpg", []byte(sampleFile(t, "scan.jpg")))
	o.finish()
	check(t, "text", o.state(text.ID), "completed 1 invoice 4403 Sommer GmbH 119 arithmetic "+manifest.DefaultModel)
	check(t, "scan", o.state(scan.ID), "completed 1 invoice 4402 Sommer GmbH 119 arithmetic "+manifest.DefaultModel)
	check(t, "publishes of the text", o.publishes(text.DocumentID), 1)
	check(t, "publishes of the scan", o.publishes(scan.DocumentID), 1)
	check(t, "questions", len(o.model.Calls()), 2)
	check(t, "answers that are kept", query[int](o.line, "SELECT count(*) FROM model_answer WHERE unusable = ''"), 2)
	paid := query[string](o.line,
		"SELECT sum(extraction_input_tokens) || ' ' || sum(extraction_output_tokens) FROM ingestion")
	billed := o.model.Usage()
	check(t, "tokens", paid, fmt.Sprint(billed.PromptTokens, " ", billed.CompletionTokens))
}

// gateFailed begins the part of a question that names the failed checks.
const gateFailed = "failed the checks below"

// An answer that fails the gate is worth one more question, which names the
// failed check, what was read and what would pass. A second failure is for a
// person, with the reason.
func TestFailedGateAsksAgain(t *testing.T) {
	t.Parallel()
	const invented = "the supplier iban was left out: the quoted text is not in the document"
	const wrongSum = "a label names 119.00 as the total, the model read 100.00"
	o := newModelOffice(t, func(q scripted.Question) string {
		right := newPrintedInvoice("4403")
		switch {
		case strings.Contains(q.User, "4404"):
			return newPrintedInvoice("4404").with("total", "100.00", "Zwischensumme 100,00").answer(t, "")
		case strings.Contains(q.User, gateFailed):
			return right.answer(t, "")
		}
		return right.with("supplier.iban", "DE02120300000000202051", "IBAN DE02 1203 0000 0000 2020 51").answer(t, "")
	})
	helped := o.lay("a.txt", []byte(textPage))
	person := o.lay("b.txt", []byte(strings.Replace(textPage, "4403", "4404", 1)))
	o.finish()
	check(t, "the second answer passes", o.state(helped.ID),
		"completed 1 invoice 4403 Sommer GmbH 119 arithmetic "+manifest.DefaultModel)
	check(t, "the second answer fails, too", o.state(person.ID),
		"completed 1 invoice 4404 Sommer GmbH 100 model-alone "+manifest.DefaultModel+" for a person: "+wrongSum)
	asked := map[string]int{}
	for _, c := range o.model.Calls() {
		number := "4403"
		if strings.Contains(c.UserText, "4404") {
			number = "4404"
		}
		_, checks, _ := strings.Cut(c.UserText, "what is printed.\n")
		asked[number+" "+checks]++
	}
	for _, question := range []string{"4403 ", "4404 ", `4403 <<<page
pages 1: ` + invented + `
  fields: supplier.iban; would pass: a quote copied from the page that shows the value; null if it isn't printed
  was supplier.iban: "DE02120300000000202051", quote "DE02120300000000202051"
page>>>
`, `4404 <<<page
pages 1: ` + wrongSum + `
  fields: line_items, subtotal, tax, total, taxes, charges, prepaid, rounding, amount_due; would pass: printed amounts that add up
  was subtotal: "100", quote "Zwischensumme 100,00"
  was tax: "19", quote "19 % MwSt. 19,00"
  was total: "100", quote "Zwischensumme 100,00"
page>>>
`} {
		check(t, "calls of "+question, asked[question], 1)
	}
	check(t, "questions", len(asked), 4)
	check(t, "publishes", o.publishes(helped.DocumentID)+o.publishes(person.DocumentID), 2)
}

// A provider that is away at the second question costs no file: the first answer counts, and a
// person sees the reason.
func TestSecondQuestionFails(t *testing.T) {
	t.Parallel()
	wrong := newPrintedInvoice("4403").with("total", "100.00", "Zwischensumme 100,00")
	o := newModelOffice(t, func(scripted.Question) string { return wrong.answer(t, "") })
	o.model.Order(scripted.Ordered(scripted.Order{Contains: gateFailed, Faults: slices.Repeat([]scripted.Fault{scripted.Unavailable}, 9)}))
	in := o.lay("a.txt", []byte(textPage))
	o.finish()
	check(t, "ingestion", o.state(in.ID), "completed 1 invoice 4403 Sommer GmbH 100 model-alone "+manifest.DefaultModel+
		" for a person: a label names 119.00 as the total, the model read 100.00")
	check(t, "answers", query[int](o.line, "SELECT count(*) FROM model_answer"), 1)
	check(t, "notifications", query[int](o.line, "SELECT count(*) FROM notification"), 0)
}

// The process is killed while the second question is asked: the next delivery
// finds the first answer in the vault, and asks the second question only.
func TestCrashBetweenQuestions(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan bool), make(chan bool)
	o := newModelOffice(t, func(q scripted.Question) string {
		right := newPrintedInvoice("4403")
		if !strings.Contains(q.User, gateFailed) {
			return right.with("total", "100.00", "Zwischensumme 100,00").answer(t, "")
		}
		if q.N == 0 {
			asked <- true
			<-answer
		}
		return right.answer(t, "")
	})
	in := o.lay("a.txt", []byte(textPage))
	select {
	case <-asked:
	case <-time.After(patience(t)):
		t.Fatal("the second question was never asked")
	}
	if !o.ingest.Function.Kill(nil) {
		t.Fatal("no process is at work")
	}
	close(answer)
	o.finish()
	check(t, "ingestion", o.state(in.ID), "completed 2 invoice 4403 Sommer GmbH 119 arithmetic "+manifest.DefaultModel)
	check(t, "publishes", o.publishes(in.DocumentID), 1)
	first, second := 0, 0
	for _, c := range o.model.Calls() {
		if strings.Contains(c.UserText, gateFailed) {
			second++
		} else {
			first++
		}
	}
	check(t, "calls of the first question", first, 1)
	check(t, "calls of the second, of which one died with its process", second, 2)
	check(t, "answers that are kept", query[string](o.line,
		"SELECT count(*) || ', used again ' || sum(replays) FROM model_answer WHERE unusable = ''"), "2, used again 1")
	check(t, "notifications", query[int](o.line, "SELECT count(*) FROM notification"), 0)
}
