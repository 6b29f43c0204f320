package analyst

import (
	"slices"
	"strings"

	"matchbook/lambda/review/record"
)

// analysts is the router's table. Rules' marks of some categories call an analyst, whatever their
// score. Many topics are beyond the categories, so the router uses words of the passage too.
// Words only choose the analysts; they never decide what is found. Whatever they leave over is
// read by the analyst of unusual terms, called for every passage, so that no clause is unread.
var analysts = []Analyst{
	called("renewal", topics(record.Renewal), by(record.Renewal), hints{1, []string{"renew", "verlängert", "reconduction"}}),
	called("termination", topics(record.Termination, record.ChangeOfControl),
		by(record.Termination, record.ChangeOfControl), hints{1, []string{"terminate this", "may terminate",
			"right to terminate", "kündig", "résili", "suspend", "suspension", "aussetz", "sperrung",
			"zu sperren", "suspendre"}}),
	called("liability", topics(record.LiabilityCap, record.UncappedLiability),
		by(record.LiabilityCap, record.UncappedLiability), hints{2, []string{"liable", "liability", "damages",
			"haftung", "responsab", "warrant", "as is", "service level", "uptime",
			"availability", "service credit", "acceptance", "gewährleistung", "mangel", "mängel", "verfügbarkeit", "abnahme",
			"garanti", "vices cachés", "disponibilité", "recette"}}),
	called("indemnity", topics(record.Indemnity, record.UncappedLiability), by(record.Indemnity),
		hints{1, []string{"indemn", "hold harmless", "freistell", "versicher", "garantir contre"}}),
	called("intellectual-property", topics(record.IPOwnership, record.License), by(record.IPOwnership, record.License),
		hints{2, []string{"intellectual property", "copyright", "patent", "licens", "urheber", "lizenz", "nutzungsrecht", "licence"}}),
	called("data-protection", topics(record.DataProtection), nil, hints{1, []string{"personal data",
		"personal information", "data protection", "privacy", "gdpr", "data subject", "personenbezogen", "datenschutz",
		"dsgvo", "données personnelles", "données à caractère personnel", "rgpd"}}),
	called("payment", topics(record.Payment), nil, hints{3, []string{"payment", "payable", "invoice", "price", "royalt",
		"late fee", "interest at", "per annum", "fees", "commission", "quantit", "set-off", "set off", "zahlung", "rechnung", "vergütung",
		"preis", "aufrechn", "verzugszins", "paiement", "facture", "redevance", "prix", "intérêts de retard"}}),
	called("confidentiality", topics(record.Confidentiality), nil, hints{2, []string{"confidenti", "non-disclosure",
		"trade secret", "receiving party", "disclosing party", "vertraulich", "geheimhaltung", "geschäftsgeheimnis"}}),
	called("exclusivity", topics(record.Exclusivity), by(record.Exclusivity),
		hints{1, []string{"exclusiv", "non-compet", "solicit", "first refusal", "disparag", "verunglimpf", "dénigre"}}),
	called("dispute-resolution", topics(record.GoverningLaw, record.Disputes), by(record.GoverningLaw),
		hints{2, []string{"arbitrat", "jurisdiction", "venue", "mediation", "jury", "injuncti", "schiedsgericht",
			"schiedsverfahren", "gerichtsstand", "arbitrage", "tribunal compétent", "tribunaux de"}}),
	called(rest, topics(record.Parties, record.Assignment, record.Other), by(record.Assignment), hints{}),
}

// rest is the analyst of everything that the others don't read.
const rest = "unusual-terms"

func topics(all ...record.Category) []record.Category { return all }
func by(all ...record.Category) []record.Category     { return all }

// hints are words calling an analyst by number in a passage, or once in its headings.
type hints struct {
	often int
	words []string
}

func called(name string, topics, calls []record.Category, h hints) Analyst {
	a := load(name)
	a.Topics, a.calls, a.hints = topics, calls, h
	return a
}

// Route returns the tasks that you should ask about a passage, given the marks of rules: its
// categories, and the analysts called. The last is told which others are called, and reads the rest,
// so that a clause that rules don't see is read as well.
func Route(marks []record.Mark, p Passage) []Analyst {
	text, heading := strings.ToLower(p.Text), strings.ToLower(p.Heading)
	route := []Analyst{categories}
	others := []string{}
	for _, a := range analysts {
		marked := func(m record.Mark) bool { return slices.Contains(a.calls, m.Category) }
		switch {
		case a.Name == rest:
			a.others = others
		case !slices.ContainsFunc(marks, marked) && !a.hints.call(text, heading):
			continue
		}
		route, others = append(route, a), append(others, a.Title)
	}
	return route
}

func (h hints) call(text, heading string) bool {
	n := 0
	for _, word := range h.words {
		if strings.Contains(heading, word) {
			return true
		}
		n += strings.Count(text, word)
	}
	return h.often > 0 && n >= h.often
}
