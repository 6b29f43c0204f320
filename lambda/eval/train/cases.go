package train

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// Case is a few documents, in their own tenant, with the matches a person would make.
type Case struct {
	Name, Group, Note string
	Documents         []corpus.Document
	Must              []corpus.Pair
}

// Verdict is the outcome of a case.
type Verdict string

// The verdicts. Right: exactly the matches of the case. People: a missing match is an open
// question. Silent: it isn't. Wrong: a match should not be there.
const (
	Right  Verdict = "right"
	People Verdict = "people"
	Silent Verdict = "silent"
	Wrong  Verdict = "wrong"
)

// ReadCases reads a file with one case per line. Use Judge to run a case.
func ReadCases(file string) (cases []Case, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		c, err := readCase(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s, case %d: %w", file, len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases, lines.Err()
}

func readCase(line []byte) (c Case, err error) {
	var in struct {
		Name, Group, Note string
		Documents         []struct {
			ID       uuid.UUID       `json:"id"`
			TenantID uuid.UUID       `json:"tenant_id"`
			Type     document.Type   `json:"type"`
			Received time.Time       `json:"received_at"`
			Data     json.RawMessage `json:"structured_data"`
		}
		Must [][2]uuid.UUID
	}
	if err := json.Unmarshal(line, &in); err != nil {
		return c, err
	}
	c = Case{Name: in.Name, Group: in.Group, Note: in.Note}
	for _, d := range in.Documents {
		c.Documents = append(c.Documents, corpus.Document{ID: d.ID, TenantID: d.TenantID, Type: d.Type, Received: d.Received, Data: d.Data})
	}
	for _, p := range in.Must {
		c.Must = append(c.Must, corpus.PairOf(p[0], p[1]))
	}
	return c, nil
}

// Judge lets the rules decide about the documents of the case, using the given numbers.
func (c Case) Judge(ctx context.Context, by *score.Numbers) (Verdict, Measurement, error) {
	s, err := NewSample(c.Documents, c.Must)
	if err != nil {
		return "", Measurement{}, err
	}
	m, err := s.Measure(ctx, by)
	return c.verdict(m), m, err
}

func (c Case) verdict(m Measurement) Verdict {
	for pair, d := range m.Decisions {
		if d.Outcome == rules.Matched && !slices.Contains(c.Must, pair) {
			return Wrong
		}
	}
	v := Right
	for _, pair := range c.Must {
		switch d := m.Decisions[pair]; {
		case d.Outcome == rules.Matched:
		case d.Outcome != rules.Suggested:
			return Silent
		default:
			v = People
		}
	}
	return v
}
