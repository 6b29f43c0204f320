package acceptance_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
	"matchbook/lambda/llm"
	"matchbook/lambda/local"
	"matchbook/lambda/local/reviewrun"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/reviews"
	"matchbook/lambda/review"
	"matchbook/lambda/review/analyst"
	"matchbook/lambda/review/card"
	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"
	"matchbook/lambda/review/whole"

	"github.com/google/uuid"
)

// modelFault is a way for a model to fail a review, and what a person then reads.
type modelFault struct {
	name   string
	stage  record.Stage // that fails; empty: every one
	fault  scripted.Fault
	times  int                                            // of the fault; 0: always
	answer func(q scripted.Question, right string) string // instead of the right answer
	tries  int                                            // most calls for one question: 12 are three deliveries of four
	status record.Status
	reason string // in each gap; empty: no gap
}

const invented = "no contract has ever had these words in it"

// changed returns an answer changed as a value.
func changed(right string, change func(answer map[string]any)) string {
	var answer map[string]any
	if json.Unmarshal([]byte(right), &answer) != nil {
		return right
	}
	change(answer)
	raw, _ := json.Marshal(answer)
	return string(raw)
}

// ofTask returns an answer changed in the entries of one task only; empty: in all.
func ofTask(task record.Stage, change func(scripted.Question, string) string) func(scripted.Question, string) string {
	return func(q scripted.Question, right string) string {
		wrong := change(q, right)
		if stages, _, ok := analyst.Asked(q.Name, q.User); !ok || task == "" || len(stages) == 0 {
			return wrong
		}
		var bad map[string]any
		_ = json.Unmarshal([]byte(wrong), &bad)
		return changed(right, func(answer map[string]any) {
			if task == record.Categories {
				answer["clauses"] = bad["clauses"]
				return
			}
			was, is := answer["findings"].([]any), bad["findings"].([]any)
			for i, f := range was {
				if f.(map[string]any)["task"] == string(task) {
					was[i] = is[i]
				}
			}
		})
	}
}

// invent replaces every quote in a value.
func invent(value any) {
	switch v := value.(type) {
	case []any:
		for _, entry := range v {
			invent(entry)
		}
	case map[string]any:
		for name, field := range v {
			if name == "quote" && field != "" {
				v[name] = invented
			}
			invent(field)
		}
	}
}

func inventing(_ scripted.Question, right string) string {
	return changed(right, func(answer map[string]any) { invent(answer) })
}

// oneInvented adds an invented entry to each list of quotes.
func oneInvented(_ scripted.Question, right string) string {
	return changed(right, func(answer map[string]any) {
		for field, value := range answer {
			list, _ := value.([]any)
			if len(list) == 0 {
				continue
			}
			first, _ := json.Marshal(list[0])
			var bad map[string]any
			if json.Unmarshal(first, &bad) == nil && bad["quote"] != nil {
				invent(bad)
				answer[field] = append(list, bad)
			}
		}
	})
}

// pairing returns an answer about the whole contract: two clauses named by a finding each, and as
// many pairs of invented quotes.
func pairing(good, bad int) func(scripted.Question, string) string {
	return func(q scripted.Question, right string) string {
		return changed(right, func(answer map[string]any) {
			quotes, pairs := listedQuote.FindAllStringSubmatch(q.User, 2), []any{}
			for i := range good + bad {
				p := map[string]any{"first": invented, "second": invented, "contradiction": true, "category": "other", "severity": "high", "title": "scripted",
					"explanation": "Two.", "fallback": ""}
				if i < good {
					p["first"], p["second"] = quotes[0][1], quotes[1][1]
				}
				pairs = append(pairs, p)
			}
			answer["together"] = pairs
		})
	}
}

var listedQuote = regexp.MustCompile(`, on: (.*)\n`)

// emptied has no mark and no finding, and a card no party and no sum.
func emptied(_ scripted.Question, right string) string {
	return changed(right, func(answer map[string]any) {
		for field, value := range answer {
			if _, list := value.([]any); list {
				answer[field] = []any{}
			}
		}
	})
}

const gaps, complete = record.CompletedWithGaps, record.Completed

// modelFaults are written by hand: the status, the reason and the tries that a person expects.
func modelFaults() []modelFault {
	const lost, lostOne = "the text has none of its", "the text has none of its 1 quote"
	list := []modelFault{
		{name: "one outage", stage: "termination", fault: "500 with HTML", times: 1, tries: 2, status: complete}, // first: the server counts a question's calls
		{name: "nothing fails", tries: 1, status: complete},
		{name: "all invented", answer: inventing, tries: 1, status: gaps, reason: lost},
		{name: "invented facts", stage: record.CardStage, answer: inventing, tries: 1, status: complete},
		{name: "invented clauses", stage: record.Categories, answer: inventing, tries: 1, status: gaps, reason: lost},
		{name: "invented findings", stage: "termination", answer: inventing, tries: 1, status: gaps, reason: lostOne},
		{name: "some invented", answer: oneInvented, tries: 1, status: complete},
		{name: "empty answers", answer: emptied, tries: 1, status: complete},
		{name: "invented pairs", stage: record.Contract, answer: pairing(0, 1), tries: 1, status: gaps, reason: lostOne},
		{name: "an invented pair", stage: record.Contract, answer: pairing(1, 1), tries: 1, status: complete},
		{name: "all refused", fault: scripted.NotFound, tries: 1, status: record.Failed, reason: "unknown model"},
		{name: "all down", fault: "500 with HTML", tries: 12, status: record.Failed, reason: "HTTP 500"},
	}
	for _, stage := range []record.Stage{record.CardStage, record.Categories, "termination", record.Contract} {
		for _, f := range []modelFault{
			{fault: "500 with HTML", tries: 12, reason: "HTTP 500"},
			{fault: scripted.NotFound, tries: 1, reason: "unknown model"},
			{fault: scripted.ContextLength, tries: 1, reason: "too long"},
			{fault: scripted.FinishLength, tries: 1, reason: "cut off"},
			{fault: scripted.FinishFilter, tries: 1, reason: "filter"},
			{fault: scripted.Refusal, tries: 1, reason: "refused to answer"},
			{fault: scripted.AnswerNoJSON, tries: 12, reason: "unusable answer"},
			{fault: scripted.AnswerBreaksSchema, tries: 12, reason: "unusable answer"},
		} {
			f.name, f.stage, f.status = fmt.Sprint(f.fault, " at ", stage), stage, gaps
			list = append(list, f)
		}
	}
	return list
}

// orderOf matches the questions of a stage; empty for every stage.
func orderOf(s record.Stage, faults []scripted.Fault) *scripted.Faults {
	o := scripted.Order{Faults: faults}
	switch s {
	case "":
	case record.CardStage:
		o.Name = card.SchemaName
	case record.Contract:
		o.Name = whole.SchemaName
	default:
		o.Contains = "\nTask: " + string(s) + "\n"
	}
	return scripted.Ordered(o)
}

func isAbout(q scripted.Question, s record.Stage) bool {
	stages, _, ok := analyst.Asked(q.Name, q.User)
	return s == "" || ok && slices.Contains(stages, s) || s == record.Contract && q.Name == whole.SchemaName ||
		s == record.CardStage && q.Name == card.SchemaName
}

// bail is a short lease.
const bail = `CONTRAT DE LOCATION

entre la Foncière du Vallon SARL (ci-après "le Bailleur") et la Boulangerie Quatrefeuille SAS (ci-après "le Preneur").

1. Durée. Le bail prend effet le 1er avril 2026. Le Preneur peut résilier le bail moyennant un préavis de six mois. Le
contrat est renouvelable par tacite reconduction.

2. Loyer. Le loyer de 2 400 EUR est payable d'avance chaque mois, sur facture. Les intérêts de retard sont de dix pour cent.

3. Assurance. Le Preneur souscrit une assurance de responsabilité civile et garantit le Bailleur contre tout recours.

4. Responsabilité. La responsabilité du Bailleur est limitée à un mois de loyer. Elle est illimitée en cas de faute lourde.

5. Droit. Le contrat est soumis au droit français. Les tribunaux de Valbourg sont compétents.
`

// faultDesk is a desk with a model that fails as told.
func faultDesk(t *testing.T) (*desk, *atomic.Pointer[modelFault]) {
	t.Helper()
	now, right := &atomic.Pointer[modelFault]{}, scripted.ReviewByRules()
	d := &desk{model: startModel(t, scripted.Options{Mind: func(q scripted.Question) string {
		f, answer := now.Load(), right(q)
		if f.answer != nil && isAbout(q, f.stage) {
			return ofTask(f.stage, f.answer)(q, answer)
		}
		return answer
	}})}
	d.line = newLineAt(t, time.Time{}, 2, func(c *local.FunctionConfig) {
		c.Row, c.Env = manifest.Review, append(asksModel(d.model.URL()), variable.ModelPrice+"=1,10")
	})
	d.starter = review.Starter{Store: reviews.New(d.DB), Sender: d.Queue, Log: slog.New(slog.DiscardHandler),
		Model: manifest.DefaultModel, Price: price}
	return d, now
}

var price = llm.Price{Prompt: 1, Completion: 10}

// TestReviewTellsFaults compares what a review says with what its model did, to the call: the server
// counts.
func TestReviewTellsFaults(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"wartungsvertrag.txt", "software-licence.md", "bail"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, now := faultDesk(t)
			contract := bail
			if name != "bail" {
				contract, _ = sample(t, name)
			}
			text := must.Get(chunk.Clean([]byte(contract)))(t)
			for i, f := range modelFaults() {
				if !testenv.Thorough() && (f.tries > 2 || i > 14) {
					continue
				}
				now.Store(&f)
				d.model.Order(nil)
				if f.fault != "" {
					times := f.times
					if times == 0 {
						times = 1_000
					}
					d.model.Order(orderOf(f.stage, slices.Repeat([]scripted.Fault{f.fault}, times)))
				}
				d.underFault(f, text)
			}
		})
	}
}

// underFault reviews a contract for a new tenant, so that no answer is known.
func (d *desk) underFault(f modelFault, text string) {
	d.t.Helper()
	before := len(d.model.Calls())
	id := must.Get(d.starter.Start(d.t.Context(), review.Request{TenantID: uuid.New(), Name: f.name, Text: text}))(d.t)
	d.finish()
	did := serverDid(d.model.Calls()[before:])
	if did.answered == 0 { // then the contract as a whole isn't asked about: one gap more
		f.status, f.reason = record.Failed, ""
		did.asked++
	}
	r := must.Get(report.Read(d.t.Context(), reviews.New(d.DB), id))(d.t)
	got := reviewrun.ResultOf(r)
	c := got.Certificate
	check(d.t, f.name+": status", got.Status, f.status)
	check(d.t, f.name+": asked, answered, dropped", fmt.Sprint(c.Asked, c.Answered, c.Dropped),
		fmt.Sprint(did.asked, did.answered, did.dropped))
	check(d.t, f.name+": calls and cost", fmt.Sprint(c.Calls, c.Cost), fmt.Sprint(did.billed, did.cost.Dollars()))
	check(d.t, f.name+": gaps", len(got.Gaps), did.asked-did.answered)
	check(d.t, f.name+": tries", did.tries, f.tries)
	for _, g := range got.Gaps {
		whole := g.Part > r.Job.Chunks
		if g.Stage == "" || g.Reason == "" || f.status != record.Failed && f.reason == "" || !strings.Contains(g.Reason, f.reason) ||
			f.stage != "" && f.tries < 12 && g.Stage != string(f.stage) && f.status != record.Failed || whole && g.Heading == "" {
			d.t.Errorf("%s: the gap %+v, want %q", f.name, g, f.reason)
		}
	}
	page := string(must.Get(report.HTML(r))(d.t))
	if !strings.Contains(page, c.Summary) || strings.Count(page, `<tr class="none">`) != len(got.Gaps) ||
		!strings.Contains(got.Text(), c.Summary) {
		d.t.Errorf("%s: the report has no %q or not %d gaps\n%s", f.name, c.Summary, len(got.Gaps), got.Text())
	}
}

// did is the server's account of a review.
type did struct {
	asked, answered, dropped, billed, tries int
	cost                                    record.USD
}

// serverDid counts by the latest call about each question: a task about a passage, the card, or the
// contract as a whole. A further try after an unusable answer says why, and is the same question.
func serverDid(calls []scripted.Call) (d did) {
	latest, tries := map[[2]string]scripted.Call{}, map[string]int{}
	for _, c := range calls {
		user := llm.First(c.UserText)
		stages, passage, ok := analyst.Asked("review_passage", user)
		if !ok {
			stages, passage = []record.Stage{""}, user
		}
		for _, s := range stages {
			latest[[2]string{string(s), passage}] = c
		}
		tries[user]++
		d.tries = max(d.tries, tries[user])
		if c.Billed {
			d.billed++
			d.cost += record.USD(price.Of(llm.Usage{PromptTokens: c.Usage.PromptTokens, CompletionTokens: c.Usage.CompletionTokens}) + 0.5)
		}
	}
	for question, c := range latest {
		d.asked++
		if c.Fault != scripted.NoFault || c.Status != 200 {
			continue
		}
		answer := partOf(question[0], c.AnswerText)
		bad := strings.Count(answer, invented) - strings.Count(answer, `"second":"`+invented)
		d.dropped += bad
		quotes := strings.Count(answer, `"severity"`) + strings.Count(answer, `"score"`)
		if strings.Contains(answer, `"ours"`) || bad == 0 || bad < quotes { // a card keeps its parties
			d.answered++
		}
	}
	return d
}

// partOf returns the entries of a task in an answer.
func partOf(task, answer string) string {
	if task == "" {
		return answer
	}
	return changed(answer, func(all map[string]any) {
		if task != string(record.Categories) {
			delete(all, "clauses")
		}
		findings, _ := all["findings"].([]any)
		all["findings"] = slices.DeleteFunc(findings, func(f any) bool { return f.(map[string]any)["task"] != task })
	})
}
