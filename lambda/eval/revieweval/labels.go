package revieweval

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/review/chunk"
	"matchbook/lambda/review/record"
)

// Contract is a contract labelled by people. See Read.
type Contract struct {
	Name  string
	Text  string
	Spans []Span
	Lost  []string // labels missing from the text, as "label: beginning"
}

// Span is a labelled passage and its position in the text.
type Span struct {
	Label      string // of CUAD
	Category   record.Category
	Text       string // as in the table; white space is ignored
	Start, End int
}

// Read reads the contracts of a folder: txt/*.txt, and labels.csv in the form of CUAD. Each
// contract must have a row, with a column per label listing its passages.
func Read(dir string) ([]Contract, error) {
	f, err := os.Open(filepath.Join(dir, "labels.csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("missing labels.csv in %s; see mbdev eval --help", dir)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read labels.csv: %w", err)
	}
	if len(rows) < 2 {
		return nil, errors.New("missing contracts in labels.csv")
	}
	var all []Contract
	for _, row := range rows[1:] {
		c, err := readContract(dir, rows[0], row)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func readContract(dir string, columns, row []string) (Contract, error) {
	name := strings.TrimSuffix(row[0], filepath.Ext(row[0]))
	raw, err := os.ReadFile(filepath.Join(dir, "txt", filepath.Base(name)+".txt"))
	if err != nil {
		return Contract{}, err
	}
	text, err := chunk.Clean(raw)
	if err != nil {
		return Contract{}, fmt.Errorf("%s: %w", name, err)
	}
	c := Contract{Name: name, Text: text}
	dense := squeeze(text)
	for i, label := range columns {
		category := joined[label].category
		if category == "" {
			continue
		}
		passages, err := list(row[i])
		if err != nil {
			return Contract{}, fmt.Errorf("%s: column %q: %w", name, label, err)
		}
		for _, passage := range passages {
			c.add(dense, Span{Label: label, Category: category, Text: passage})
		}
	}
	return c, nil
}

// add finds the places of a passage. The parts around omitted words become separate places.
func (c *Contract) add(dense squeezed, s Span) {
	for part := range strings.SplitSeq(s.Text, "<omitted>") {
		start, end, ok := dense.find(part)
		if !ok {
			c.Lost = append(c.Lost, s.Label+": "+cut(strings.Join(strings.Fields(part), " "), 60))
			continue
		}
		c.Spans = append(c.Spans, Span{s.Label, s.Category, strings.TrimSpace(part), start, end})
	}
}

func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// squeezed is a text without white space, with the original offset of each byte.
type squeezed struct {
	text string
	at   []int
}

func squeeze(text string) squeezed {
	var s strings.Builder
	var at []int
	for i, r := range text {
		if unicode.IsSpace(r) {
			continue
		}
		n, _ := s.WriteRune(r) // never fails
		for j := range n {
			at = append(at, i+j)
		}
	}
	return squeezed{s.String(), at}
}

// find returns the first place of a passage, ignoring white space.
func (s squeezed) find(passage string) (start, end int, ok bool) {
	wanted := squeeze(passage).text
	i := strings.Index(s.text, wanted)
	if i < 0 || wanted == "" {
		return 0, 0, false
	}
	return s.at[i], s.at[i+len(wanted)-1] + 1, true
}

// list parses a list of strings in Python's syntax. An empty cell is an empty list.
func list(cell string) (all []string, err error) {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return nil, nil
	}
	inner, opened := strings.CutPrefix(cell, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !opened || !closed {
		return nil, errors.New("expected a list")
	}
	for inner = strings.TrimLeft(inner, " ,\n"); inner != ""; inner = strings.TrimLeft(inner, " ,\n") {
		var one string
		if one, inner, err = quoted(inner); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// quoted parses one string in single or double quotes.
func quoted(text string) (inside, rest string, err error) {
	mark := text[0]
	if mark != '\'' && mark != '"' {
		return "", "", errors.New("missing opening quote of a string")
	}
	var b strings.Builder
	for rest = text[1:]; rest != ""; {
		if rest[0] == mark {
			return b.String(), rest[1:], nil
		}
		if text := strings.TrimPrefix(rest, `\'`); text != rest { // because UnquoteChar refuses it
			b.WriteByte('\'')
			rest = text
			continue
		}
		r, _, after, err := strconv.UnquoteChar(rest, 0)
		if err != nil {
			return "", "", fmt.Errorf("invalid string: %w", err)
		}
		b.WriteRune(r)
		rest = after
	}
	return "", "", errors.New("missing closing quote of a string")
}
