package offerrun

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/offer"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/offers"

	"github.com/google/uuid"
)

// Imported counts the answers of a file.
type Imported struct {
	Stored  int       `json:"stored"`
	Refused []Refused `json:"refused"`
}

// Refused is a line left out, with the reason.
type Refused struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// batch bounds the answers of a statement.
const batch = 1000

// ImportFeedback stores the answers of a CSV file with the columns user_id, candidate_id, answer
// and at, which may be missing. It leaves out invalid lines. Importing a file again changes
// nothing.
func ImportFeedback(ctx context.Context, db *postgres.DB, tenant uuid.UUID, from io.Reader) (Imported, error) {
	i := Imported{Refused: []Refused{}}
	lines, err := newFeedbackLines(from)
	if err != nil {
		return i, err
	}
	for more := true; more; {
		var answers []offer.Feedback
		var places []int
		for more && len(answers) < batch {
			f, line, err := lines.next()
			switch {
			case errors.Is(err, io.EOF):
				more = false
			case err != nil:
				i.Refused = append(i.Refused, Refused{line, err.Error()})
			default:
				answers, places = append(answers, f), append(places, line)
			}
		}
		unknown, err := offers.New(db).AddFeedback(ctx, tenant, answers)
		if err != nil {
			return i, err
		}
		for _, n := range unknown {
			i.Refused = append(i.Refused, Refused{places[n], "unknown user or candidate"})
		}
		i.Stored += len(answers) - len(unknown)
	}
	slices.SortStableFunc(i.Refused, func(a, b Refused) int { return a.Line - b.Line })
	return i, nil
}

// Text is the report for people.
func (i Imported) Text() string {
	var text strings.Builder
	for _, r := range i.Refused {
		fmt.Fprintf(&text, "line %d: %s\n", r.Line, r.Reason)
	}
	fmt.Fprintf(&text, "%s stored", plural.Of(i.Stored, "answer"))
	if len(i.Refused) > 0 {
		fmt.Fprintf(&text, ", %s left out", plural.Of(len(i.Refused), "line"))
	}
	return text.String() + "\n"
}

type feedbackLines struct {
	csv     *csv.Reader
	columns map[string]int
}

func newFeedbackLines(from io.Reader) (*feedbackLines, error) {
	buffered := bufio.NewReader(from)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(len(mark))
	}
	l := &feedbackLines{csv.NewReader(buffered), map[string]int{}}
	l.csv.FieldsPerRecord = -1
	if first, _ := buffered.Peek(buffered.Size()); strings.Contains(firstLine(first), ";") {
		l.csv.Comma = ';'
	}
	head, err := l.csv.Read()
	if err != nil {
		return nil, errors.New("missing header: expected user_id,candidate_id,answer,at")
	}
	for at, name := range head {
		name = strings.ToLower(strings.TrimSpace(name))
		if _, twice := l.columns[name]; twice {
			return nil, fmt.Errorf("duplicate column %.40q", name)
		}
		l.columns[name] = at
	}
	for _, name := range []string{"user_id", "candidate_id", "answer"} {
		if _, ok := l.columns[name]; !ok {
			return nil, fmt.Errorf("missing column %s", name)
		}
	}
	return l, nil
}

func firstLine(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// next reads an answer. Its error is io.EOF at the end, and otherwise about the line.
func (l *feedbackLines) next() (f offer.Feedback, line int, err error) {
	record, err := l.csv.Read()
	if wrong := (*csv.ParseError)(nil); errors.As(err, &wrong) {
		return f, wrong.StartLine, errors.New("invalid quotes")
	}
	if err != nil {
		return f, 0, err
	}
	line, _ = l.csv.FieldPos(0)
	cell := func(name string) string {
		if at, ok := l.columns[name]; ok && at < len(record) {
			return strings.TrimSpace(record[at])
		}
		return ""
	}
	if f.User, err = document.ParseID(cell("user_id")); err != nil {
		return f, line, fmt.Errorf("user_id: %w", err)
	}
	if f.Candidate, err = document.ParseID(cell("candidate_id")); err != nil {
		return f, line, fmt.Errorf("candidate_id: %w", err)
	}
	f.Answer = roster.Answer(strings.ToLower(cell("answer")))
	if !slices.Contains(roster.Answers(), f.Answer) {
		return f, line, errors.New("answer: expected accepted, declined, met, blocked or reported")
	}
	if at := cell("at"); at != "" {
		f.At, err = instant(at)
	}
	return f, line, err
}

// instant reads a time, or a date for its beginning in UTC.
func instant(text string) (time.Time, error) {
	for _, form := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(form, text); err == nil && t.Year() >= 1970 {
			return t, nil
		}
	}
	return time.Time{}, errors.New("at: expected a time such as 2026-03-29T07:00:00Z, or a date")
}
