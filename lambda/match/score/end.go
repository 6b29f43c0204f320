package score

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"matchbook/lambda/document"
)

// End is the part of a pair's document needed by the competition.
type End struct {
	Number   string        `json:"number,omitempty"` // in comparable form
	Date     document.Date `json:"date,omitzero"`
	Received int64         `json:"received,omitzero"` // microseconds since 1970; 0: unknown
}

// maxEnd bounds the number of an End, in bytes; a longer one is replaced by its hash.
const maxEnd = 64

func (d *Document) end() End {
	n := d.number.Canonical
	if len(n) > maxEnd {
		n = fmt.Sprintf("%x", sha256.Sum256([]byte(n)))
	}
	return End{n, d.Date, d.received}
}

// Cited reports whether one of the two cites the other, exactly or possibly misread, and they
// are of one company or also fit in other ways.
func (p Pair) Cited() bool {
	return (p.Points >= KeepAt || namesCompany(p.Evidence)) && has(p.Evidence, evCites, evCitesShort, evCitesLoosely)
}

// Citation returns the canonical form of the citation by which one of the two cites the other,
// or "", and whether it is the other's very number.
func (p Pair) Citation() (cited string, exact bool) {
	for _, ev := range p.Evidence {
		if ev.Cited != "" {
			return ev.Cited, ev.isOf(evCites, evCitesShort)
		}
	}
	return "", false
}

// Plain reports whether one of the two cites the other's very number, without a veto or a
// weaker citation. There is room for several such pairs (see rules). The result must be the
// same for the brief evidence, and in SQL (plainPair in package postgres).
func (p Pair) Plain() bool {
	weaker := func(ev Evidence) bool { return ev.Cited != "" && !evCites.Is(ev) }
	return p.Veto == "" && has(p.Evidence, evCites) && !slices.ContainsFunc(p.Evidence, weaker)
}

// Brief is the part of the evidence that the competition of other pairs depends on: citations,
// and with them the evidence about the company.
func (p Pair) Brief() []Evidence {
	brief, cites := []Evidence{}, false
	for _, ev := range p.Evidence {
		if family := ev.family(); family == "citation" || family == "company" {
			brief = append(brief, Evidence{Name: ev.Name, Points: ev.Points, Cited: ev.Cited})
			cites = cites || family == "citation"
		}
	}
	if !cites {
		return []Evidence{}
	}
	return brief
}
