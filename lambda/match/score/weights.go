package score

import (
	"fmt"
	"slices"
)

// Evidence is one reason for or against a pair.
type Evidence struct {
	Name   string `json:"name"`
	Points int    `json:"points"` // negative: against
	Text   string `json:"text"`   // in plain words
	// Cited is the canonical form of the citation, if one of the two cites the other. The same
	// citation may be evidence of several pairs.
	Cited string `json:"cited,omitempty"`
}

// KeepAt is the minimum of points for a pair to be kept, because no competition can make a
// weaker one a match.
const KeepAt = 30

// Kind is a kind of evidence: its name and its points. The points of a family, for and against
// together, count up to its cap. The thresholds of the sum, and its probability, are learned
// (see learned.go). To add a kind, see .github/CONTRIBUTING.md.
type Kind struct {
	name, family string
	points       int
}

// weights has all kinds by name, because stored evidence has only the name.
var weights = map[string]Kind{}

func define(name, family string, points int) Kind {
	if _, ok := weights[name]; ok {
		panic("two kinds of evidence have the name " + name)
	}
	weights[name], Learned.Points[name] = Kind{name, family, points}, points
	return weights[name]
}

// All kinds of evidence. Roughly, a match must have a common company. Beyond that it must have
// a citation, or contents that agree while nothing else fits, or parts that add up to a whole.
var (
	evVATID        = define("vat-id", "company", 30)        // one supplier, by VAT id
	evIBAN         = define("iban", "company", 30)          // by bank account
	evIBANOnly     = define("iban-only", "company", 15)     // by bank account, of other names: perhaps a bank that buys invoices
	evName         = define("name", "company", 28)          // by name
	evKnownName    = define("known-name", "company", 25)    // by names that are known as one supplier's
	evNameSimilar  = define("name-similar", "company", 22)  // by name, misread or shortened
	evAddress      = define("address", "company", 22)       // by address, of names that may be of one company, or none
	evOtherVATID   = define("other-vat-id", "company", -8)  // VAT ids of two countries
	evNamePerhaps  = define("name-perhaps", "company", 8)   // names that may be of one company or not
	evSister       = define("sister", "company", -60)       // names that begin alike and go on differently
	evOtherName    = define("other-name", "company", -30)   // a supplier of another name
	evNameForgiven = define("name-forgiven", "company", -5) // another name, but the other's number and its goods
	evBuyer        = define("buyer", "company", 20)         // one buyer, where one side does not name the supplier
	evSameBuyer    = define("same-buyer", "company", 5)     // one buyer as well
	evBranchBuyer  = define("branch-buyer", "company", -12) // a buyer that may be of one group
	evOtherBuyer   = define("other-buyer", "company", -20)  // another buyer

	evCites          = define("cites", "citation", 60)           // one cites the other's number
	evCitesShort     = define("cites-short", "citation", 45)     // a number so short that it may be a coincidence
	evCitesLoosely   = define("cites-loosely", "citation", 45)   // a number that may be the other's, misread
	evCitesPart      = define("cites-part", "citation", 45)      // its last digits, or its number without the year
	evCitesAsOther   = define("cites-as-other", "citation", 35)  // its number, as one of another type
	evCitesUnnamed   = define("cites-unnamed", "citation", 20)   // its number, which documents of this type seldom cite
	evCitesWeakly    = define("cites-weakly", "citation", 25)    // so short a part of it that it may be a coincidence
	evCitesNearly    = define("cites-nearly", "citation", 15)    // its number with a digit missing or transposed
	evCitesOff       = define("cites-off", "citation", -10)      // its number but for one digit: misread, or the next one
	evRevision       = define("revision", "citation", 45)        // a confirmation numbered as a revision of the order
	evCommonDelivery = define("common-delivery", "citation", 45) // both cite one delivery
	evCommonOther    = define("common-other", "citation", 40)    // both cite one number of neither's type
	evCommonCitation = define("common-citation", "citation", 30) // both cite one order, say
	evOtherCitation  = define("other-citation", "citation", -30) // one cites another document of the other's type
	evOtherForm      = define("other-form", "citation", -15)     // one of its type, but of another form
	evOtherSeries    = define("other-series", "citation", -20)   // a number of its series, as no known type
	evOtherCommon    = define("other-common", "citation", -40)   // they cite different orders
	evBehindOrder    = define("behind-order", "citation", -60)   // an invoice that cites an order, and not the contract

	evItemsEqual       = define("items-equal", "contents", 25)        // same items, same quantities
	evSerials          = define("serials", "contents", 38)            // the very pieces, by serial or lot number
	evItemEqual        = define("item-equal", "contents", 22)         // the same, but only one item
	evItemEqualFew     = define("item-equal-few", "contents", 19)     // one item and fewer than ten units
	evItemEqualRound   = define("item-equal-round", "contents", 22)   // one item and a round number of units: 20, 300
	evItemsAlike       = define("items-alike", "contents", 18)        // same quantities, items alike by price, numbers or words
	evQuantities       = define("quantities", "contents", 8)          // same quantities, items with other names
	evItemsNear        = define("items-near", "contents", 15)         // same items, nearly the same quantities
	evItemsNamed       = define("items-named", "contents", 6)         // one has the other's items, in other units
	evItemsSome        = define("items-some", "contents", 2)          // some lines are the same, each has others
	evItemsWhole       = define("items-whole", "contents", 20)        // some lines of one are all lines of the other
	evItemWhole        = define("item-whole", "contents", 20)         // one line of one is all of the other
	evItemPart         = define("item-part", "contents", 8)           // one line is a part of the other's
	evItemsContract    = define("items-contract", "contents", 10)     // the contract names all items
	evItemsBilled      = define("items-billed", "contents", 6)        // all items of an invoice, which may be of an order outside it
	evItemsPart        = define("items-part", "contents", 8)          // one is a part of the other
	evItemsCredited    = define("items-credited", "contents", 14)     // all that is credited is there, at its price
	evItemsExceed      = define("items-exceed", "contents", -25)      // neither is
	evItemsOther       = define("items-other", "contents", -40)       // no common item
	evPrices           = define("prices", "contents", 4)              // same unit prices
	evPricesDiffer     = define("prices-differ", "contents", -10)     // other unit prices
	evPriceContract    = define("price-contract", "contents", -25)    // other prices than the contract's
	evLump             = define("lump", "contents", -12)              // a sum in one line of text, where the other has goods
	evDescription      = define("description", "contents", 20)        // same words, where nothing is counted
	evOtherDescription = define("other-description", "contents", -25) // other words
	evAlike            = define("alike", "contents", 6)               // texts that are near to an embedding
	evAmount           = define("amount", "contents", 18)             // same net or gross amount
	evAmountRound      = define("amount-round", "contents", 12)       // a round one, more often a coincidence
	evAmountTax        = define("amount-tax", "contents", 14)         // amounts that differ by a rate of tax
	evInstalment       = define("instalment", "contents", 16)         // the share of an order's amount that is printed
	evShare            = define("share", "contents", 8)               // a plain share of it
	evAmountNear       = define("amount-near", "contents", 6)         // nearly: rounding, freight, a price that moved
	evAmountOther      = define("amount-other", "contents", -25)      // other amounts, and no supplier to compare
	evAmountExceeds    = define("amount-exceeds", "contents", -15)    // more is charged than was ordered

	evContentsDiffer = define("contents-differ", "contents", -12) // items or amounts differ, but one cites the other
	evContentsOther  = define("contents-other", "contents", -35)  // they have nothing in common, but one cites the other

	evReturned    = define("returned", "return", 15)      // a credit note for returned goods, with a receipt
	evAllCredited = define("all-credited", "return", -25) // for all goods of a receipt: returned, or billed in error
	evNotReturned = define("not-returned", "return", -50) // for something else, with a receipt

	evDate        = define("date", "time", 5)            // within two months, in the order of business
	evDateBrief   = define("date-brief", "time", 8)      // a receipt within days of its delivery
	evDateLate    = define("date-late", "time", -15)     // a receipt long after the delivery
	evDateMonths  = define("date-months", "time", -3)    // more than two months
	evDateEarly   = define("date-early", "time", -8)     // in the wrong order, by days
	evDateHalf    = define("date-half", "time", -23)     // more than four months, and no common period
	evDateFar     = define("date-far", "time", -25)      // many months apart
	evDateOrder   = define("date-order", "time", -30)    // in the wrong order
	evPeriod      = define("period", "time", 12)         // about the same time
	evOtherPeriod = define("other-period", "time", -25)  // about another time
	evInPeriod    = define("in-period", "time", 8)       // dated while the contract runs
	evOutOfPeriod = define("out-of-period", "time", -30) // dated before or after

	Implied      = define("implied", "third", 40)         // a third document belongs to both
	ThroughOrder = define("through-order", "third", -30)  // an invoice and a contract that have an order in common
	Delivered    = define("delivered", "third", -30)      // an invoice with a delivery, and a contract
	OfOtherOrder = define("of-other-order", "third", -60) // an invoice with an order that isn't the contract's
	OtherChain   = define("other-chain", "third", -60)    // what one of the two cites belongs to another document than the other

	Meant = define("meant", "citation", -45) // the number that it cites in part is another document's

	Chain = define("chain", "citation", 50) // one cites a document that cites the other

	Only    = define("only", "competition", 20)     // nothing else fits either of them
	Room    = define("room", "competition", 20)     // others fit as well, and there is room for all
	AddsUp  = define("adds-up", "competition", 30)  // with others it makes up the whole
	Nearest = define("nearest", "competition", -5)  // the nearest in time of several equal fits
	Tie     = define("tie", "competition", -15)     // others fit as well
	Farther = define("farther", "competition", -20) // others fit as well and are nearer in time
	Taken   = define("taken", "competition", -30)   // others fit better
	Copy    = define("copy", "competition", -30)    // another with the same number fits as well
)

// caps bounds the points of one family for a pair, because its kinds of evidence are not
// independent. The cap applies to the sum of the points for and against the pair in that
// family; a negative sum isn't bounded.
var caps = map[string]int{"company": 35, "citation": 60, "contents": 38, "return": 15, "time": 14, "competition": 30, "third": 40}

// Sum adds up evidence: each family first, up to its cap, then the families. Use it instead of
// adding points, because each family has a cap.
func Sum(evidence []Evidence) (points int) {
	families := make(map[string]int, len(caps))
	for _, ev := range evidence {
		families[ev.family()] += ev.Points
	}
	for family, n := range families {
		points += min(n, caps[family])
	}
	return points
}

// agreeAt is the minimum of points for contents that agree; being a part isn't enough.
const agreeAt = 10

// Agree reports whether the contents of two documents agree: items, amounts or words.
func Agree(evidence []Evidence) bool { return sumOf("contents", evidence) >= agreeAt }

func sumOf(family string, evidence []Evidence) (points int) {
	for _, ev := range evidence {
		if ev.family() == family {
			points += ev.Points
		}
	}
	return points
}

// Reversed reports whether the dates are in the wrong order, and neither a third document nor the
// amount explains it: consigned goods are ordered after their delivery.
func Reversed(evidence []Evidence) bool {
	against := func(ev Evidence) bool { return evDateOrder.Is(ev) && ev.Points < 0 } // a habit has no points
	return slices.ContainsFunc(evidence, against) && !has(evidence, Implied, Chain, evCommonDelivery, evAmount)
}

// Doubtful reports whether the dates, a nearly equal number, another company's name or a twin speak
// against the pair, so that its confidence must not be high.
func Doubtful(evidence []Evidence) bool {
	return has(evidence, evDateEarly, evDateOrder, evDateHalf, evDateFar, evCitesOff, evNameForgiven, Nearest, Tie, Farther, Taken)
}

// has reports whether evidence is of one of the kinds.
func has(evidence []Evidence, kinds ...Kind) bool {
	return slices.ContainsFunc(evidence, func(ev Evidence) bool { return ev.isOf(kinds...) })
}

func (e Evidence) isOf(kinds ...Kind) bool {
	return slices.ContainsFunc(kinds, func(k Kind) bool { return k.Is(e) })
}

func (e Evidence) family() string { return weights[e.Name].family }

// FromCompetition reports whether the evidence comes from other pairs.
func (e Evidence) FromCompetition() bool {
	family := e.family()
	return family == "competition" || family == "third" || e.isOf(Chain, Meant)
}

// Points returns the points of the kind.
func (k Kind) Points() int { return k.points }

// Is reports whether the evidence is of this kind.
func (k Kind) Is(ev Evidence) bool { return ev.Name == k.name }

// Because returns a piece of evidence of this kind, with its points.
func (k Kind) Because(format string, args ...any) []Evidence {
	return []Evidence{k.says(fmt.Sprintf(format, args...))}
}

func (k Kind) says(text string) Evidence { return Evidence{Name: k.name, Points: k.points, Text: text} }
