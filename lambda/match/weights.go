package match

import "fmt"

// Evidence is one reason for or against a pair.
type Evidence struct {
	Name   string `json:"name"`
	Points int    `json:"points"` // of 100; negative is against
	Text   string `json:"text"`   // in plain words
}

// Thresholds of a pair's points. A pair below keepAt is forgotten: no
// competition can make it a match.
const (
	keepAt    = 30
	suggestAt = 50 // undecided
	matchAt   = 75 // a match, of medium confidence
	highAt    = 85
)

// weight is the points of a kind of evidence, of 100, and its family.
type weight struct {
	family string
	points int
}

// weights lists all kinds of evidence. Roughly: a match needs a common company
// and, beyond that, either a citation, or contents that agree while nothing
// else fits, or parts that add up to a whole.
var weights = map[string]weight{
	"vat-id":       {"company", 30},  // one supplier, by VAT id
	"iban":         {"company", 30},  // by bank account
	"name":         {"company", 28},  // by name
	"name-similar": {"company", 22},  // by name, misread or shortened
	"buyer":        {"company", 20},  // one buyer, where one side does not name the supplier
	"same-buyer":   {"company", 5},   // one buyer as well
	"other-buyer":  {"company", -20}, // another buyer

	"cites":           {"citation", 60},  // one cites the other's number
	"cites-short":     {"citation", 45},  // a number so short that it may be a coincidence
	"cites-loosely":   {"citation", 45},  // a number that may be the other's, misread
	"revision":        {"citation", 45},  // a confirmation numbered as a revision of the order
	"common-delivery": {"citation", 45},  // both cite one delivery
	"common-other":    {"citation", 40},  // both cite one number of neither's type
	"common-citation": {"citation", 30},  // both cite one order, say
	"other-citation":  {"citation", -30}, // one cites another document of the other's type
	"other-common":    {"citation", -40}, // they cite different orders

	"items-equal":       {"contents", 25},  // same items, same quantities
	"item-equal":        {"contents", 22},  // the same, but only one item
	"item-equal-few":    {"contents", 19},  // one item and fewer than ten units
	"items-whole":       {"contents", 20},  // some lines of one are all lines of the other
	"items-contract":    {"contents", 10},  // the contract names all items
	"items-part":        {"contents", 8},   // one is a part of the other
	"items-exceed":      {"contents", -25}, // neither is
	"items-other":       {"contents", -40}, // no common item
	"prices":            {"contents", 4},   // same unit prices
	"description":       {"contents", 20},  // same words, where nothing is counted
	"other-description": {"contents", -25}, // other words
	"alike":             {"contents", 6},   // texts that are near to an embedding
	"amount":            {"contents", 18},  // same net or gross amount
	"amount-round":      {"contents", 12},  // a round one, more often a coincidence
	"amount-near":       {"contents", 6},   // nearly: rounding, freight, a price that moved
	"amount-exceeds":    {"contents", -15}, // more is charged than was ordered

	"returned":     {"return", 15},  // a credit note for returned goods, with a receipt
	"not-returned": {"return", -50}, // for something else, with a receipt

	"date":          {"time", 5},   // within two months, in the order of business
	"date-far":      {"time", -20}, // many months apart
	"date-order":    {"time", -30}, // in the wrong order
	"period":        {"time", 12},  // about the same time
	"other-period":  {"time", -25}, // about another time
	"in-period":     {"time", 8},   // dated while the contract runs
	"out-of-period": {"time", -30}, // dated before or after

	"only":    {"competition", 20},  // nothing else fits either of them
	"adds-up": {"competition", 30},  // with others it makes up the whole
	"tie":     {"competition", -15}, // others fit as well
	"taken":   {"competition", -30}, // others fit better
}

// caps bounds the points of one family for a pair, because its kinds of
// evidence are not independent. Points against a pair have no cap.
var caps = map[string]int{"company": 35, "citation": 60, "contents": 38, "return": 15, "time": 14, "competition": 30}

// sum adds up evidence.
func sum(evidence []Evidence) (points int) {
	families := make(map[string]int, len(caps))
	for _, ev := range evidence {
		families[weights[ev.Name].family] += ev.Points
	}
	for family, n := range families {
		points += min(n, caps[family])
	}
	return points
}

// say returns a piece of evidence with the points of the table.
func say(name, format string, args ...any) []Evidence {
	return []Evidence{{name, weights[name].points, fmt.Sprintf(format, args...)}}
}
