package reviewrun

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/document/docx"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/review/record"
	"matchbook/lambda/review/report"
)

// contract is the text of a contract, and the Word document that it is from.
type contract struct {
	text string
	word *docx.Document // nil for another file
}

// checkWord checks --docx before anything is paid for.
func (o Options) checkWord(path string, word *docx.Document) error {
	if o.Word == "" {
		return nil
	}
	if word == nil {
		return errors.New("--docx must be used with a Word document (DOCX)")
	}
	from, err := os.Stat(path)
	if err != nil {
		return err
	}
	if to, err := os.Stat(o.Word); err == nil && os.SameFile(from, to) {
		return errors.New("--docx must name another file than the contract")
	}
	return nil
}

// writeWord writes the document with the findings as comments.
func (o Options) writeWord(word *docx.Document, r report.Review) error {
	if o.Word == "" {
		return nil
	}
	if word.Text != r.Text { // the places of the findings are in the text that was reviewed
		return errors.New("--docx: the contract has changed during the review; review it again")
	}
	at := r.Job.CreatedAt
	if r.Job.EndedAt != nil {
		at = *r.Job.EndedAt
	}
	var b bytes.Buffer
	err := word.Annotate(&b, "Matchbook", at.Truncate(time.Second), notesOf(r.Findings))
	if err == nil {
		err = os.WriteFile(o.Word, b.Bytes(), 0o600)
	}
	if err != nil {
		return fmt.Errorf("--docx: %w", err)
	}
	return nil
}

// notesOf returns a comment for each finding, at its quote. Wording about no clause isn't
// inserted, because its place is for a person to choose.
func notesOf(findings []record.Finding) (notes []docx.Note) {
	for _, f := range findings {
		f = report.Shown(f)
		if f.Withdrawn || f.Repeats != 0 {
			continue
		}
		n := docx.Note{Start: f.Start, End: f.End,
			Text: strings.ToUpper(string(f.Severity)) + ": " + oneLine(f.Title) + "\n" + oneLine(f.Explanation)}
		switch {
		case f.Fallback == "":
		case f.Quote == "":
			n.Text += "\nSuggested wording: " + oneLine(f.Fallback)
		default:
			n.Text += "\nSuggested wording is inserted at the end of the paragraph, as a tracked change."
			n.Insert = oneLine(f.Fallback)
		}
		if f.Quote == "" {
			n.Start, n.End = 0, 0
		}
		notes = append(notes, n)
	}
	return notes
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// addWord adds the changes and comments of a Word document to a result.
func (r *Result) addWord(d *docx.Document) {
	if d != nil {
		r.Changes, r.Comments, r.LeftOut = d.Changes, d.Comments, d.LeftOut
	}
}

// mostChanges is the number of changes to print; JSON has all.
const mostChanges = 50

// word prints what a Word document has next to its text.
func (r *Result) word(p *term.Page) {
	if len(r.Changes) > 0 {
		p.Line("CHANGES    the text above is read as accepted")
	}
	for i, c := range r.Changes {
		if i == mostChanges {
			p.Line("  and %s, see --json", plural.Of(len(r.Changes)-i, "more change"))
			break
		}
		p.Hang("  ", wordLine(string(c.Kind), c.Author, c.Date, c.Text))
	}
	for i, c := range r.Comments {
		if i == 0 {
			p.Line("COMMENTS")
		}
		line := wordLine("comment", c.Author, c.Date, c.Text)
		if c.Quote != "" {
			line += " on “" + term.Clean(c.Quote, mostWords) + "”"
		}
		p.Hang("  ", line)
	}
}

func wordLine(kind, author, date, text string) string {
	when, _, _ := strings.Cut(date, "T")
	by := strings.Join(strings.Fields(term.Clean(author, mostName)+" "+term.Clean(when, mostName)), " ")
	return fmt.Sprintf("%s by %s: “%s”", kind, by, term.Clean(strings.TrimSpace(text), mostText))
}
