package reviewrun

import (
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/docx"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"
	"matchbook/lambda/review/whole"

	"github.com/google/uuid"
)

// Result is the result of a review, also for use as JSON.
type Result struct {
	ID         uuid.UUID     `json:"id"`
	Name       string        `json:"name"`
	Status     record.Status `json:"status"`
	Model      string        `json:"model,omitempty"` // empty without a model
	Playbook   string        `json:"playbook"`
	Parts      int           `json:"parts"`
	Calls      int           `json:"calls"`
	Cost       float64       `json:"cost_usd"`
	Estimate   float64       `json:"estimate_usd"`
	Budget     float64       `json:"budget_usd"`
	Error      string        `json:"error,omitempty"`
	Waits      string        `json:"waits,omitempty"`           // for a service that is away
	Unread     string        `json:"unread_language,omitempty"` // warning about a language that rules don't read
	Card       record.Card   `json:"card"`                      // parties, dates, periods and sums
	Categories []Category    `json:"categories"`
	Findings   Findings      `json:"findings"` // heaviest first
	Gaps       []Gap         `json:"gaps"`
	// Changes and Comments are tracked changes and comments of a Word document, which the text
	// doesn't have; LeftOut says what of it wasn't read.
	Changes  []docx.Change  `json:"changes,omitempty"`
	Comments []docx.Comment `json:"comments,omitempty"`
	LeftOut  []string       `json:"left_out,omitempty"`
	// Certificate shows each question about each part.
	Certificate report.Certificate `json:"certificate"`
}

// Category is a category of clauses, with its marks from all parts.
type Category struct {
	Name  record.Category `json:"name"`
	Marks []record.Mark   `json:"marks"` // empty if not found
}

// Gap is a question without an answer, or a part that stopped between questions.
type Gap struct {
	Part    int    `json:"part"`    // from 1; the last is the contract as a whole
	Heading string `json:"heading"` // for the contract as a whole, its name
	Status  string `json:"status"`
	Stage   string `json:"stage"`
	Reason  string `json:"reason"`
}

// ResultOf returns the result of a review.
func ResultOf(r report.Review) *Result {
	j := r.Job
	result := &Result{ID: j.ID, Name: j.Name, Status: j.Status, Model: j.Model, Playbook: j.Playbook, Parts: j.Chunks,
		Calls: j.Calls, Cost: j.Cost.Dollars(), Estimate: j.Estimate.Dollars(), Budget: j.Budget.Dollars(), Error: j.Error, Waits: j.Waits,
		Findings: SomeFindings(r, report.Filter{}), Gaps: []Gap{},
		Card: r.Card, Certificate: report.CertificateOf(r)}
	for _, c := range record.All() {
		marks := slices.DeleteFunc(slices.Clone(r.Marks), func(m record.Mark) bool { return m.Category != c })
		result.Categories = append(result.Categories, Category{c, append([]record.Mark{}, marks...)})
	}
	for _, g := range report.Gaps(j, r.Chunks, r.Questions) {
		result.Gaps = append(result.Gaps, Gap{g.Position + 1, g.Heading, string(g.Status), g.Stage, g.Error})
	}
	result.Unread = report.UnreadLanguage(r)
	return result
}

// Text returns the result for people.
func (r *Result) Text() string {
	var p term.Page
	if r.Unread != "" {
		p.Line("NOTE       %s", r.Unread)
	}
	p.Line("REVIEW     %s of %s", r.ID, term.Clean(r.Name, mostName))
	reader := "by rules, without a model"
	if r.Model != "" {
		reader = fmt.Sprintf("by %s, %s, USD %.4f, estimated %.4f", term.Clean(r.Model, mostName),
			plural.Of(r.Calls, "paid call"), r.Cost, r.Estimate)
	}
	p.Line("           %s; %s, %s", r.Status, plural.Of(r.Parts, "part", "parts"), reader)
	if r.Waits != "" {
		p.Line("           %s; it goes on by itself", term.Clean(r.Waits, mostText))
	}
	p.Line("           %s", r.Certificate.Summary)
	if len(r.LeftOut) > 0 {
		p.Line("           not read: %s", strings.Join(r.LeftOut, ", "))
	}
	if r.Error != "" {
		p.Line("           %s", term.Clean(r.Error, mostText))
	}
	for i, line := range report.CardLines(r.Card) {
		if i == 0 {
			p.Line("CONTRACT")
		}
		p.Hang("  ", line)
	}
	p.Line("CATEGORIES")
	for _, c := range r.Categories {
		words := "-"
		if len(c.Marks) > 0 {
			best := slices.MaxFunc(c.Marks, func(a, b record.Mark) int { return a.Score - b.Score })
			words = fmt.Sprintf("%3d %%  %s", best.Score, term.Clean(best.Quote, mostWords))
		}
		p.Line("  %-36s %s", report.Title(c.Name), words)
	}
	asks := func(f report.Finding) bool { return f.Analyst == whole.Doubts }
	toCheck := slices.DeleteFunc(slices.Clone(r.Findings), func(f report.Finding) bool { return !asks(f) || !f.Stands() })
	p.Line("FINDINGS")
	slices.DeleteFunc(slices.Clone(r.Findings), asks).text(&p)
	if len(toCheck) > 0 {
		p.Line("TO CHECK")
	}
	toCheck.text(&p)
	r.word(&p)
	for i, g := range r.Gaps {
		if i == 0 {
			p.Line("NOT READ")
		}
		p.Line("  part %d %s: %s, %s", g.Part, term.Clean(g.Heading, mostName), g.Status, term.Clean(g.text(), mostText))
	}
	return p.String()
}

// text returns stage and reason. Most reasons already begin with the stage.
func (g Gap) text() string {
	if strings.HasPrefix(g.Reason, "stage ") {
		return g.Reason
	}
	return strings.TrimSpace(g.Stage + " " + g.Reason)
}

const (
	mostWords = 70
	mostText  = 400
)

// Findings are findings of a review, the heaviest first, also for use as JSON.
type Findings []report.Finding

// SomeFindings returns the selected findings of a review.
func SomeFindings(r report.Review, f report.Filter) Findings {
	return append(Findings{}, f.Select(report.With(r.Findings, r.Actions))...)
}

// Text returns the findings for people. It leaves out repeated and withdrawn ones.
func (list Findings) Text() string {
	var p term.Page
	list.text(&p)
	return p.String()
}

func (list Findings) text(p *term.Page) {
	for _, f := range list {
		if !f.Stands() {
			continue
		}
		p.Line("  %-4s %-8s %s", f.Name(), f.Severity, term.Clean(f.Title, mostText))
		shown := []string{}
		if f.State != record.Rejected {
			for _, quote := range []string{f.Quote, f.Second} {
				if quote != "" {
					shown = append(shown, "“"+term.Clean(quote, mostText)+"”")
				}
			}
			shown = append(shown, term.Clean(f.Explanation, mostText))
		}
		for _, line := range append(append(shown, f.Decided()), f.Comments()...) {
			if line != "" {
				p.Hang("                ", line)
			}
		}
	}
}
