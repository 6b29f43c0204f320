package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/report"

	"github.com/google/uuid"
)

// Explanation describes one document, and all pairs that were considered for it.
type Explanation struct {
	Document *documentState   `json:"document"`
	Pairs    []pairReport     `json:"pairs"`
	Warnings []warningReport  `json:"warnings"`
	ThreeWay []threeWayReport `json:"three_way"`
	// Decisions are those of people, also withdrawn ones, the latest first.
	Decisions []decisionReport `json:"decisions"`
	NoMatch   []string         `json:"no_match,omitempty"` // the reasons, if there is none
	Near      []named          `json:"near,omitempty"`     // the candidates, where no pair was kept
	// Unread counts the documents that share a key with it and were not looked at.
	Unread []postgres.Unread `json:"unread,omitempty"`
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

// Alone returns the reasons why a document has no match, in sentences that are
// clean: those that its Explanation has.
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

// maxNamed bounds the documents or numbers that a sentence lists.
const maxNamed = 10

// noMatch collects the reasons why the document has no match.
func (d *Reader) noMatch(e *Explanation) (err error) {
	say := func(s string) { e.NoMatch = append(e.NoMatch, s) }
	doc := e.Document
	if s := doc.File.unread(); s != "" {
		say(s)
		if doc.raw.Data == "" {
			return nil
		}
	}
	if s := doc.unmatched(); s != "" {
		say(s)
	}
	switch {
	case doc.Unreadable != "":
		say("Its structured data cannot be read: " + doc.Unreadable + ".")
		return nil
	case len(score.Matchable(doc.Type)) == 0:
		say("Its type is not known: nothing is matched with it.")
		return nil
	case doc.data.Supplier == (document.Party{}) && doc.data.Buyer == (document.Party{}):
		say("It names no company, neither as the supplier nor as the buyer: numbers alone match nothing.")
	}
	cited, err := d.whereCited(doc, e.Pairs)
	if err != nil {
		return err
	}
	e.NoMatch = append(e.NoMatch, cited...)
	if e.Unread, err = d.db.Unread(d.ctx, doc.raw); err != nil {
		return err
	}
	if s := postgres.UnreadWords(e.Unread); s != "" {
		say(s)
	}
	if len(e.Pairs) > 0 {
		say("The best candidate is " + e.Pairs[0].Document.Called() + ". " + e.Pairs[0].Verdict())
	}
	if len(e.Pairs) > 0 || doc.unmatched() != "" {
		return nil
	}
	near, err := d.near(doc)
	if err != nil {
		return err
	}
	if len(near) == 0 {
		say("Nothing was compared with it: no document of a type it is matched with shares a key with it" + whatKeysAre)
		return nil
	}
	say(fmt.Sprintf("It shares a key with %s, and too little speaks for any of them to be kept.",
		count(len(near), "document")))
	e.Near = near[:min(len(near), maxNamed)]
	return nil
}

const whatKeysAre = ", which is a number, or an amount, an article or a time of the same company."

// whereCited looks up the numbers that the document cites, and describes the
// documents that are in none of its pairs.
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
		list = append(list, "No document here has the number, as printed, of what it cites: "+strings.Join(nowhere, ", ")+".")
	}
	return list, nil
}

// maxCandidates bounds the candidates by a common key; matching has no more.
const maxCandidates = 200

// near lists the candidates of a document that share a key with it, in the order
// of matching.
func (d *Reader) near(doc *documentState) ([]named, error) {
	ranked, err := d.db.Ranked(d.ctx, []uuid.UUID{doc.ID}, maxCandidates)
	if err != nil {
		return nil, err
	}
	return d.names(ranked[doc.ID])
}
