package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/plural"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres/matches"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Explanation is one document with all its considered pairs.
type Explanation struct {
	Document *documentState   `json:"document"`
	Pairs    []pairReport     `json:"pairs"`
	Warnings []warningReport  `json:"warnings"`
	ThreeWay []threeWayReport `json:"three_way"`
	// Decisions of people, including withdrawn ones, latest first.
	Decisions []decisionReport `json:"decisions"`
	NoMatch   []string         `json:"no_match,omitempty"` // reasons for having no match
	Near      []named          `json:"near,omitempty"`     // candidates, if no pair was stored
	// Unread counts documents with a common key that were not looked at.
	Unread []matches.Unread `json:"unread,omitempty"`
	Tries  tries            `json:"tries,omitempty"`
}

func (d *Reader) explainOne(doc *documentState) (*Explanation, error) {
	pairs, err := d.pairs(doc.ID)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Document: doc, Pairs: append([]pairReport{}, pairs...)}
	if e.Warnings, err = d.warnings(doc.ID); err != nil {
		return nil, err
	}
	if e.Decisions, err = d.decisions(doc.ID); err != nil {
		return nil, err
	}
	if e.ThreeWay, err = d.threeWays(doc, pairs); err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(pairs, func(p pairReport) bool { return p.Outcome == isMatched }) {
		err = d.noMatch(e)
	}
	return e, err
}

// Alone returns the NoMatch sentences of a document, which are clean. Use it if you need no more
// of the Explanation.
func (d *Reader) Alone(id uuid.UUID) ([]string, error) {
	doc, err := d.read(id)
	if err != nil {
		return nil, err
	}
	pairs, err := d.pairs(id)
	if err != nil {
		return nil, err
	}
	e := &Explanation{Document: doc, Pairs: pairs}
	err = d.noMatch(e)
	return e.NoMatch, err
}

// maxNamed bounds the documents or numbers listed in a sentence.
const maxNamed = 10

func (d *Reader) noMatch(e *Explanation) (err error) {
	add := func(s string) { e.NoMatch = append(e.NoMatch, s) }
	doc := e.Document
	if s := doc.File.unread(); s != "" {
		add(s)
		if doc.raw.Data == "" {
			return nil
		}
	}
	if s := doc.unmatched(); s != "" {
		add(s)
	}
	switch {
	case doc.Unreadable != "":
		add("Cannot read its structured data: " + doc.Unreadable + ".")
		return nil
	case len(score.Matchable(doc.Type)) == 0:
		add("Unknown type: nothing is matched with it.")
		return nil
	case doc.data.Supplier == (document.Party{}) && doc.data.Buyer == (document.Party{}):
		add("It names neither supplier nor buyer, and numbers alone match nothing.")
	}
	cited, err := d.whereCited(doc, e.Pairs)
	if err != nil {
		return err
	}
	e.NoMatch = append(e.NoMatch, cited...)
	if e.Unread, err = d.matches.Unread(d.ctx, doc.raw); err != nil {
		return err
	}
	if s := matches.UnreadWords(e.Unread); s != "" {
		add(s)
	}
	if len(e.Pairs) > 0 {
		add("The best candidate is " + e.Pairs[0].Document.Called() + ". " + e.Pairs[0].Verdict())
	}
	if len(e.Pairs) > 0 || doc.unmatched() != "" {
		return nil
	}
	near, err := d.near(doc)
	if err != nil {
		return err
	}
	if len(near) == 0 {
		add("Nothing was compared with it: no document of a matching type shares a key with it" + whatKeysAre)
		return nil
	}
	add(fmt.Sprintf("It shares a key with %s, but has too little evidence for any of them.",
		plural.Of(len(near), "document")))
	e.Near = near[:min(len(near), maxNamed)]
	return nil
}

const whatKeysAre = " (a number, or an amount, an article or a time of the same company)."

// whereCited looks up the cited numbers, and describes unknown ones and documents outside
// the pairs.
func (d *Reader) whereCited(doc *documentState, pairs []pairReport) (list []string, err error) {
	var nowhere []string
	for i, r := range doc.data.References[:min(len(doc.data.References), maxNamed)] {
		ids, err := d.reports.Numbered(d.ctx, r.Number)
		if err != nil {
			return nil, err
		}
		found, err := d.reports.Summaries(d.ctx, ids)
		if err != nil {
			return nil, err
		}
		here := slices.DeleteFunc(found, func(s report.Summary) bool { return s.TenantID != doc.TenantID || s.ID == doc.ID })
		if len(here) == 0 {
			nowhere = append(nowhere, doc.Cites[i].String())
		}
		for _, s := range here {
			if !slices.ContainsFunc(pairs, func(p pairReport) bool { return p.Document.ID == s.ID }) {
				list = append(list, fmt.Sprintf("It cites %s: %s %s is here, %s.",
					doc.Cites[i], s.Type.Words(), s.ID, cmp.Or(s.Status, "never published")))
			}
		}
	}
	if len(nowhere) > 0 {
		list = append(list, "Cited, but not here under the printed number: "+strings.Join(nowhere, ", ")+".")
	}
	return list, nil
}

// maxCandidates bounds the candidates by a common key, as in matching.
const maxCandidates = 200

// near lists the candidates with a common key, in the order of matching.
func (d *Reader) near(doc *documentState) ([]named, error) {
	ranked, err := d.matches.Ranked(d.ctx, []uuid.UUID{doc.ID}, maxCandidates)
	if err != nil {
		return nil, err
	}
	return d.names(ranked[doc.ID])
}
