package analyst

import (
	"slices"
	"strings"

	"matchbook/lambda/review/record"
)

// analysts is the router's table. The marks of certain categories call an
// analyst, whatever their score; five analysts read for topics that no category
// covers well enough, and are called by words of the passage too. Words are a hint
// only: they decide who reads, never what is found. No analyst is called for the
// parties: there is nothing to negotiate about a name.
var analysts = []Analyst{
	called("renewal", topics(record.Renewal), by(record.Renewal)),
	called("termination", topics(record.Termination, record.ChangeOfControl), by(record.Termination, record.ChangeOfControl)),
	called("liability", topics(record.LiabilityCap, record.UncappedLiability),
		by(record.LiabilityCap, record.UncappedLiability)),
	called("indemnity", topics(record.Indemnity, record.UncappedLiability), by(record.Indemnity)),
	called("intellectual-property", topics(record.IPOwnership, record.License), by(record.IPOwnership, record.License)),
	called("data-protection", topics(record.DataProtection), nil, "personal data", "personal information", "data protection",
		"privacy", "gdpr", "data subject", "personenbezogen", "datenschutz", "dsgvo", "données personnelles",
		"données à caractère personnel", "rgpd"),
	called("payment", topics(record.Payment), nil, "payment", "payable", "invoice", "purchase price", "royalt", "late fee",
		"interest at", "per annum", "fees", "zahlung", "rechnung", "vergütung", "verzugszins", "paiement", "facture",
		"redevance", "intérêts de retard"),
	called("confidentiality", topics(record.Confidentiality), nil, "confidential", "non-disclosure", "trade secret",
		"receiving party", "disclosing party", "vertraulich", "geheimhaltung", "geschäftsgeheimnis", "confidentiel",
		"secret des affaires"),
	called("exclusivity", topics(record.Exclusivity), by(record.Exclusivity)),
	called("dispute-resolution", topics(record.GoverningLaw, record.Disputes), by(record.GoverningLaw), "arbitrat",
		"jurisdiction", "venue", "mediation", "jury", "injuncti", "schiedsgericht", "schiedsverfahren", "gerichtsstand",
		"arbitrage", "tribunal compétent", "tribunaux de"),
	called("unusual-terms", topics(record.Parties, record.Assignment, record.Other), by(record.Assignment),
		"sole discretion", "power of attorney", "penalty", "deemed accepted", "waive", "from time to time",
		"third party beneficiar", "take precedence", "vertragsstrafe", "gilt als genehmigt", "verzicht",
		"einseitig", "clause pénale", "à sa seule discrétion", "renonc"),
}

func topics(all ...record.Category) []record.Category { return all }
func by(all ...record.Category) []record.Category     { return all }

// hints are words that call an analyst.
type hints []string

// often is how often hints stand in a passage that calls an analyst; one in a
// heading is enough.
const often = 3

func called(name string, topics, calls []record.Category, words ...string) Analyst {
	a := load(name)
	a.Topics, a.calls, a.hints = topics, calls, words
	return a
}

// Route returns the analysts that have to read a passage with these marks, in
// their order.
func Route(marks []record.Mark, p Passage) (route []Analyst) {
	text, heading := strings.ToLower(p.Text), strings.ToLower(p.Heading)
	for _, a := range analysts {
		marked := func(m record.Mark) bool { return slices.Contains(a.calls, m.Category) }
		if slices.ContainsFunc(marks, marked) || a.hints.call(text, heading) {
			route = append(route, a)
		}
	}
	return route
}

func (h hints) call(text, heading string) bool {
	n := 0
	for _, word := range h {
		if strings.Contains(heading, word) {
			return true
		}
		n += strings.Count(text, word)
	}
	return n >= often
}
