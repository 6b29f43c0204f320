package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// typeOf is the type of a document in a table, by its name: "order 1".
func typeOf(name string) document.Type {
	kind, _, _ := strings.Cut(name, " ")
	return map[string]document.Type{"order": po, "confirmation": oc, "delivery": dn, "receipt": gr, "invoice": inv, "credit": cn, "contract": ct}[kind]
}

// weighed is a pair of so many points, which are of evidence that the caps let
// through; units are those of a, of b, and in common.
func weighed(a, b string, points int, units ...float64) Pair {
	p := Pair{Pair: score.Pair{A: idOf(a), B: idOf(b), TypeA: typeOf(a), TypeB: typeOf(b), Points: points, Evidence: []score.Evidence{}}}
	if len(units) > 0 {
		p.Fit = score.Fit{A: units[0], B: units[1], Common: units[2]}
	}
	for _, kind := range []struct {
		name string
		most int
	}{{"common-delivery", 60}, {"vat-id", 35}, {"amount", 38}} {
		if n := min(points, kind.most); n > 0 {
			p.Evidence = append(p.Evidence, score.Evidence{Name: kind.name, Points: n, Text: "By " + kind.name + "."})
			points -= n
		}
	}
	return p
}

// by is a pair whose evidence of a citation has this name.
func by(citation string, p Pair) Pair {
	p.Evidence[0].Name = citation
	return p
}

// against is a pair with evidence against it.
func against(points int, p Pair) Pair {
	p.Points -= points
	p.Evidence = append(p.Evidence, score.Evidence{Name: "items-other", Points: -points, Text: "By its items."})
	return p
}

// received is a pair whose documents have one number each, the same in all such
// pairs; the later one in business was received at the time.
func received(at int64, p Pair) Pair {
	for i := range p.Ends {
		p.Ends[i].Number, p.Ends[i].Received = "7", at
	}
	return p
}

// dated is a pair whose documents are so many days apart.
func dated(days int, p Pair) Pair {
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	p.Ends[0].Date, p.Ends[1].Date = document.DateOf(at), document.DateOf(at.AddDate(0, 0, days))
	if p.Later() == p.A {
		p.Ends[0], p.Ends[1] = p.Ends[1], p.Ends[0]
	}
	return p
}

// parts returns pairs of a whole with its parts, of 60 points each: every unit of
// a part is one of the whole.
func parts(whole string, all float64, kind string, units ...float64) (pairs []Pair) {
	for i, n := range units {
		pairs = append(pairs, weighed(whole, fmt.Sprint(kind, " ", i+1), 60, all, n, n))
	}
	return pairs
}

// vetoed is a pair that is out of the question. It keeps its points, which
// compare would not give it, to show that they do not matter.
func vetoed(p Pair) Pair {
	p.Veto, p.Fit, p.Evidence = "The currencies differ.", score.Fit{}, p.Evidence[:1]
	return p
}

func verdict(v Verdict, p Pair) Pair {
	p.Verdict = v
	return p
}

func flipped(p Pair) Pair {
	p.A, p.B, p.TypeA, p.TypeB, p.Fit.A, p.Fit.B = p.B, p.A, p.TypeB, p.TypeA, p.Fit.B, p.Fit.A
	p.Ends[0], p.Ends[1] = p.Ends[1], p.Ends[0]
	return p
}

func fives(n int) []float64 { return slices.Repeat([]float64{5}, n) }

type decideRow struct {
	name  string
	pairs []Pair
	want  []string
}

// decideRows: what becomes of each pair, by which evidence of competition, and
// its score.
var decideRows = []decideRow{
	{"alone", []Pair{weighed("order", "invoice", 60)}, []string{"match only 0.80 medium"}},
	{"never less than 0", []Pair{weighed("order", "invoice 1", 60), weighed("order", "invoice 2", 20)}, []string{"match only 0.80 medium", "nothing taken"}},
	{"never more than 1", []Pair{weighed("order", "invoice", 95)}, []string{"match only 1.00 medium"}},

	// The thresholds, of a pair with which competition has nothing to do.
	{"84", []Pair{weighed("order", "delivery", 64, 20, 5, 5), weighed("order", "delivery 2", 64, 20, 5, 5)}, slices.Repeat([]string{"match room 0.84 medium"}, 2)},
	{"85", []Pair{weighed("order", "delivery", 65, 20, 5, 5), weighed("order", "delivery 2", 65, 20, 5, 5)}, slices.Repeat([]string{"match room 0.85 medium"}, 2)},
	{"75", []Pair{weighed("order", "delivery", 55, 20, 5, 5), weighed("order", "delivery 2", 55, 20, 5, 5)}, slices.Repeat([]string{"match room 0.75 medium"}, 2)},
	{"74", []Pair{weighed("order", "delivery", 54, 20, 5, 5), weighed("order", "delivery 2", 54, 20, 5, 5)}, slices.Repeat([]string{"suggestion room 0.74 Undecided."}, 2)},
	{"50", []Pair{weighed("order", "delivery", 30, 20, 5, 5), weighed("order", "delivery 2", 30, 20, 5, 5)}, slices.Repeat([]string{"suggestion room 0.50 Undecided."}, 2)},
	{"49", []Pair{weighed("order", "delivery", 29, 20, 5, 5), weighed("order", "delivery 2", 29, 20, 5, 5)}, slices.Repeat([]string{"nothing room"}, 2)},

	// Which others count.
	{"two that fit equally", []Pair{weighed("order", "invoice 1", 75), weighed("order", "invoice 2", 75)}, slices.Repeat([]string{"suggestion tie 0.60 Undecided."}, 2)},
	{"two that fit equally, and room for one", []Pair{weighed("order", "invoice 1", 65, 20, 20, 20), weighed("order", "invoice 2", 65, 20, 20, 20)}, slices.Repeat([]string{"suggestion tie 0.50 Undecided."}, 2)},
	{"8 points are not better", []Pair{weighed("order", "invoice 1", 73), weighed("order", "invoice 2", 65)}, []string{"suggestion tie 0.58 Undecided.", "suggestion tie 0.50 Undecided."}},
	{"9 points are", []Pair{weighed("order", "invoice 1", 89), weighed("order", "invoice 2", 80)}, []string{"match only 1.00 medium", "suggestion taken 0.50 Undecided."}},
	{"a better one leaves nothing", []Pair{weighed("order", "invoice 1", 95, 20, 20, 20), weighed("order", "invoice 2", 80, 20, 20, 20)}, []string{"match only 1.00 medium", "suggestion taken 0.50 Undecided."}},
	{"a better one leaves the rest", []Pair{weighed("order", "invoice 1", 90, 20, 15, 15), weighed("order", "invoice 2", 60, 20, 5, 5)}, []string{"match only 1.00 medium", "match adds-up 0.90 medium"}},
	{"a better one leaves more than the rest", []Pair{weighed("order", "invoice 1", 90, 20, 14, 14), weighed("order", "invoice 2", 60, 20, 5, 5)}, []string{"match only 1.00 medium", "match room 0.80 medium"}},
	{"only documents of one type compete", []Pair{weighed("order", "invoice", 60), weighed("order", "delivery", 90)}, []string{"match only 0.80 medium", "match only 1.00 medium"}},
	{"a contract has many orders and invoices", []Pair{weighed("contract", "order 1", 60), weighed("contract", "order 2", 60), weighed("contract", "invoice 1", 60), weighed("contract", "invoice 2", 90)},
		[]string{"match only 0.80 medium", "match only 0.80 medium", "match only 0.80 medium", "match only 1.00 medium"}},
	{"an order has one contract", []Pair{weighed("contract 1", "order", 75), weighed("contract 2", "order", 75)}, slices.Repeat([]string{"suggestion tie 0.60 Undecided."}, 2)},
	{"an order has many confirmations", []Pair{weighed("order", "confirmation 1", 60), weighed("order", "confirmation 2", 90)}, []string{"match only 0.80 medium", "match only 1.00 medium"}},
	{"a confirmation has one order", []Pair{weighed("order 1", "confirmation", 75), weighed("order 2", "confirmation", 75)}, slices.Repeat([]string{"suggestion tie 0.60 Undecided."}, 2)},
	{"a receipt is one delivery's", []Pair{weighed("receipt", "delivery 1", 75), weighed("receipt", "delivery 2", 75)}, slices.Repeat([]string{"suggestion tie 0.60 Undecided."}, 2)},
	{"who cites two means both", []Pair{by("cites", weighed("order", "invoice 1", 80)), by("cites", weighed("order", "invoice 2", 80))}, slices.Repeat([]string{"match - 0.80 medium"}, 2)},
	{"and so does who cites short numbers", []Pair{by("cites-short", weighed("order", "invoice 1", 80)), by("cites-short", weighed("order", "invoice 2", 80))}, slices.Repeat([]string{"match - 0.80 medium"}, 2)},
	{"who cites one does not mean another", []Pair{by("cites", weighed("order", "invoice 1", 80)), weighed("order", "invoice 2", 80)}, []string{"match - 0.80 medium", "suggestion tie 0.65 Undecided."}},
	{"who cites two means also the worse one", []Pair{by("cites", weighed("order", "invoice 1", 95)), by("cites", weighed("order", "invoice 2", 80))}, []string{"match only 1.00 medium", "match - 0.80 medium"}},
	{"also when there is no room", []Pair{by("cites", weighed("order", "invoice 1", 95, 20, 20, 20)), by("cites", weighed("order", "invoice 2", 80, 20, 20, 20))}, []string{"match only 1.00 medium", "match - 0.80 medium"}},

	// What is cited is never dropped.
	{"cited, and nothing else fits", []Pair{against(70, by("cites", weighed("order", "invoice", 65)))}, []string{"suggestion only 0.50 Undecided."}},
	{"cited, perhaps by another company", []Pair{against(35, by("cites", weighed("order", "invoice", 60)))}, []string{"nothing only"}},
	{"cited loosely, and others fit better", []Pair{by("cites-loosely", weighed("order", "invoice 1", 70)), weighed("order", "invoice 2", 90)}, []string{"suggestion taken 0.50 Undecided.", "match only 1.00 medium"}},

	// Two documents of one number.
	{"an invoice that is sent twice", []Pair{received(1, by("cites", weighed("order", "invoice 1", 90))), received(2, by("cites", weighed("order", "invoice 2", 90)))}, []string{"match only 1.00 medium", "suggestion copy 0.60 Undecided."}},
	{"whatever its points", []Pair{received(1, by("cites", weighed("order", "invoice 1", 133))), received(2, by("cites", weighed("order", "invoice 2", 133)))}, []string{"match only 1.00 medium", "suggestion copy 0.74 Undecided."}},
	{"a number that is used again", []Pair{received(1, dated(400, weighed("order 1", "invoice", 60))), received(2, dated(14, weighed("order 2", "invoice", 62)))}, []string{"nothing copy", "match only 0.82 medium"}},
	{"and fits worse", []Pair{received(1, dated(14, by("cites", weighed("order 1", "invoice", 60)))), received(2, dated(400, by("cites", weighed("order 2", "invoice", 95))))}, []string{"nothing copy", "match only 1.00 medium"}},
	{"nothing tells two of one number apart", []Pair{received(1, by("cites", weighed("order", "invoice 1", 90))), received(1, by("cites", weighed("order", "invoice 2", 90)))}, slices.Repeat([]string{"suggestion copy 0.60 Undecided."}, 2)},
	{"a person has chosen one of two", []Pair{received(1, by("cites", weighed("order", "invoice 1", 90))), verdict(Confirmed, received(2, by("cites", weighed("order", "invoice 2", 90))))}, []string{"suggestion copy 0.60 Undecided.", "match - 1.00 Confirmed by a person."}},
	{"confirmations of one number", []Pair{received(1, weighed("order", "confirmation 1", 90)), received(2, weighed("order", "confirmation 2", 90))}, slices.Repeat([]string{"match only 1.00 medium"}, 2)},

	// The time between two documents tells equal ones apart.
	{"equal orders, one of them nearer", []Pair{dated(33, weighed("order 1", "invoice", 85)), dated(3, weighed("order 2", "invoice", 85))}, []string{"suggestion farther 0.65 Undecided.", "match nearest 0.80 medium"}},
	{"equal orders at one time", []Pair{dated(3, weighed("order 1", "invoice", 85)), dated(3, weighed("order 2", "invoice", 85))}, slices.Repeat([]string{"suggestion tie 0.70 Undecided."}, 2)},
	{"a time is not known", []Pair{weighed("order 1", "invoice", 85), dated(3, weighed("order 2", "invoice", 85))}, slices.Repeat([]string{"suggestion tie 0.70 Undecided."}, 2)},
	{"the wrong order is far", []Pair{dated(-1, weighed("order 1", "invoice", 85)), dated(30, weighed("order 2", "invoice", 85))}, []string{"suggestion farther 0.65 Undecided.", "match nearest 0.80 medium"}},
	{"nearest from one side only", []Pair{dated(5, weighed("order 1", "invoice 1", 85)), dated(3, weighed("order 2", "invoice 1", 85)), dated(1, weighed("order 2", "invoice 2", 85))},
		[]string{"suggestion farther 0.65 Undecided.", "suggestion farther 0.65 Undecided.", "match nearest 0.80 medium"}},

	// Chains.
	{"an invoice of a delivery of an order", []Pair{weighed("order", "invoice", 40), by("cites", weighed("order", "delivery", 95)), by("cites", weighed("delivery", "invoice", 95))},
		[]string{"match chain only 0.80 medium", "match only 1.00 medium", "match only 1.00 medium"}},
	{"two invoices of deliveries of an order", []Pair{weighed("order", "invoice 1", 45), weighed("order", "invoice 2", 45), by("cites", weighed("order", "delivery", 95)), by("cites", weighed("delivery", "invoice 1", 95)), by("cites", weighed("delivery", "invoice 2", 95))},
		[]string{"suggestion chain 0.60 Undecided.", "suggestion chain 0.60 Undecided.", "match only 1.00 medium", "match - 0.95 medium", "match - 0.95 medium"}},
	{"a chain that a person has closed", []Pair{weighed("order", "invoice", 40), by("cites", weighed("order", "delivery", 95)), verdict(Confirmed, weighed("delivery", "invoice", 30))},
		[]string{"match chain only 0.80 medium", "match only 1.00 medium", "match - 1.00 Confirmed by a person."}},
	{"a chain that a person has broken", []Pair{weighed("order", "invoice", 40), by("cites", weighed("order", "delivery", 95)), verdict(Rejected, by("cites", weighed("delivery", "invoice", 95)))},
		[]string{"suggestion only 0.60 Undecided.", "match only 1.00 medium", "suggestion - 0.00 Rejected by a person."}},
	{"a link that is no citation", []Pair{weighed("order", "invoice", 40), by("cites", weighed("order", "delivery", 95)), weighed("delivery", "invoice", 95)},
		[]string{"match only implied 1.00 medium", "match only 1.00 medium", "match only 1.00 medium"}},
	{"a link of an invoice that comes second", []Pair{weighed("order", "invoice 1", 95, 5, 5, 5), weighed("order", "invoice 2", 65, 5, 5, 5), weighed("order", "receipt", 95), weighed("receipt", "invoice 2", 75)},
		[]string{"match only 1.00 medium", "nothing taken", "match only 1.00 medium", "match only 0.95 medium"}},
	{"a link that is too weak", []Pair{weighed("order", "invoice", 40), by("cites", weighed("order", "delivery", 95)), weighed("delivery", "invoice", 30)},
		[]string{"suggestion only 0.60 Undecided.", "match only 1.00 medium", "suggestion only 0.50 Undecided."}},
	{"more than the third allows", []Pair{weighed("order", "invoice", 40, 5, 6, 5), weighed("order", "receipt", 95), weighed("receipt", "invoice", 95)},
		[]string{"suggestion only 0.60 Undecided.", "match only 1.00 medium", "match only 1.00 medium"}},
	{"an invoice of several receipts", []Pair{weighed("delivery", "invoice", 40, 5, 9, 5), weighed("delivery", "receipt", 95), weighed("receipt", "invoice", 95)},
		[]string{"match only implied 1.00 medium", "match only 1.00 medium", "match only 1.00 medium"}},
	{"two parts of an order are no chain", []Pair{weighed("delivery", "invoice", 40), by("cites", weighed("order", "delivery", 95)), by("cites", weighed("order", "invoice", 95))},
		[]string{"suggestion only 0.60 Undecided.", "match only 1.00 medium", "match only 1.00 medium"}},
	{"an invoice of a delivery of another order", []Pair{weighed("order", "invoice", 95), by("cites", weighed("delivery", "invoice", 95)), by("other-citation", weighed("order", "delivery", 65))},
		[]string{"suggestion only other-chain 0.55 Undecided.", "match only 1.00 medium", "match only 0.85 medium"}},
	{"which cites the order as well", []Pair{citing("cites", "47", weighed("order", "invoice", 95)), by("cites", weighed("delivery", "invoice", 95)), by("other-citation", weighed("order", "delivery", 65))},
		[]string{"match only 1.00 medium", "match only 1.00 medium", "match only 0.85 medium"}},
	{"the invoice of an order of a contract", []Pair{weighed("contract", "invoice", 40), by("cites", weighed("contract", "order", 95)), by("cites", weighed("order", "invoice", 95))},
		[]string{"nothing only through-order", "match only 1.00 medium", "match only 1.00 medium"}},
	{"the invoice of another order", []Pair{weighed("contract", "invoice", 80), weighed("order", "invoice", 95)},
		[]string{"nothing only of-other-order", "match only 1.00 medium"}},
	{"the invoice of a delivery", []Pair{weighed("contract", "invoice", 80), weighed("delivery", "invoice", 95)},
		[]string{"suggestion only delivered 0.70 Undecided.", "match only 1.00 medium"}},
	{"a citation of another document", []Pair{citing("cites-part", "47", weighed("order 1", "delivery 1", 80)), citing("cites", "47", weighed("order 2", "delivery 1", 95))},
		[]string{"nothing meant", "match only 1.00 medium"}},
	{"a list that names the first of its parts", []Pair{citing("cites-off", "47", weighed("order 1", "invoice 1", 80, 5, 20, 5)), citing("cites", "47", weighed("order 2", "invoice 1", 80, 15, 20, 15))},
		[]string{"match adds-up 1.00 medium", "match - 0.80 medium"}},
	{"an invoice that cites the contract", []Pair{citing("cites-loosely", "RV-1", weighed("contract", "invoice", 90)), weighed("order", "invoice", 95)},
		[]string{"match only 1.00 medium", "match only 1.00 medium"}},

	// What there is room for.
	{"room for both", parts("order", 20, "delivery", 5, 5), slices.Repeat([]string{"match room 0.80 medium"}, 2)},
	{"together they are the whole", parts("order", 20, "delivery", 5, 15), slices.Repeat([]string{"match adds-up 0.90 medium"}, 2)},
	{"decimals are the whole", parts("order", 0.3, "delivery", 0.1, 0.2), slices.Repeat([]string{"match adds-up 0.90 medium"}, 2)},
	{"nearly the whole is not the whole", parts("order", 1000.001, "delivery", 400, 600), slices.Repeat([]string{"match room 0.80 medium"}, 2)},
	{"some are the whole, another is left over", parts("order", 11, "delivery", 2, 3, 8), []string{"nothing taken", "match adds-up 0.90 medium", "match adds-up 0.90 medium"}},
	{"in several ways", parts("order", 10, "delivery", 5, 5, 5), slices.Repeat([]string{"nothing tie"}, 3)},
	{"one of them in every way", parts("order", 10, "delivery", 6, 4, 4), []string{"match adds-up 0.90 medium", "nothing tie", "nothing tie"}},
	{"in no way", parts("order", 10, "delivery", 7, 6), slices.Repeat([]string{"suggestion tie 0.50 Undecided."}, 2)},
	{"with a better one", append(parts("order", 10, "delivery", 6, 2), weighed("order", "delivery", 90, 10, 4, 4)), []string{"match adds-up 0.90 medium", "nothing taken", "match only 1.00 medium"}},
	{"nothing in common", []Pair{weighed("order", "delivery 1", 75, 10, 5, 0), weighed("order", "delivery 2", 75, 10, 5, 0)}, slices.Repeat([]string{"suggestion tie 0.60 Undecided."}, 2)},
	{"each is the whole", parts("order", 10, "delivery", 10, 10), slices.Repeat([]string{"suggestion tie 0.50 Undecided."}, 2)},
	{"each of three is the whole", parts("order", 10, "delivery", 10, 10, 10), slices.Repeat([]string{"nothing tie"}, 3)},
	{"two that no one would match alone", []Pair{weighed("order", "delivery 1", 54), weighed("order", "delivery 2", 54)}, slices.Repeat([]string{"nothing tie"}, 2)},
	{"two, and a person's", append(parts("order", 10, "delivery", 8, 8), verdict(Confirmed, weighed("order", "delivery 3", 60, 10, 1, 1))),
		[]string{"nothing tie", "nothing tie", "match - 1.00 Confirmed by a person."}},
	{"one is more than the whole of its own", []Pair{weighed("order", "invoice 1", 60, 10, 25, 10), weighed("order", "invoice 2", 60, 10, 4, 4)}, []string{"match adds-up 0.90 medium", "nothing taken"}},
	{"among 12", parts("order", 100, "delivery", append(fives(10), 64, 36)...), append(slices.Repeat([]string{"nothing taken"}, 10), "match adds-up 0.90 medium", "match adds-up 0.90 medium")},
	{"among 13", parts("order", 100, "delivery", append(fives(11), 64, 36)...), slices.Repeat([]string{"nothing tie"}, 13)},
	{"13 that are the whole", parts("order", 65, "delivery", fives(13)...), slices.Repeat([]string{"match adds-up 0.90 medium"}, 13)},
	{"13 for which there is room", parts("order", 66, "delivery", fives(13)...), slices.Repeat([]string{"match room 0.80 medium"}, 13)},
	{"what a better one leaves is not known", []Pair{weighed("order", "invoice 1", 95), weighed("order", "invoice 2", 80, 20, 20, 20)}, []string{"match only 1.00 medium", "suggestion taken 0.50 Undecided."}},
	{"what an equal one leaves is not known", []Pair{weighed("order", "invoice 1", 65), weighed("order", "invoice 2", 65, 20, 20, 20)}, slices.Repeat([]string{"suggestion tie 0.50 Undecided."}, 2)},
	{"an invoice that collects deliveries", []Pair{weighed("delivery 1", "invoice", 60, 5, 20, 5), weighed("delivery 2", "invoice", 60, 15, 20, 15)}, slices.Repeat([]string{"match adds-up 0.90 medium"}, 2)},

	// Both sides.
	{"alone here, tied there", []Pair{weighed("order 1", "invoice 1", 75), weighed("order 2", "invoice 1", 75), weighed("order 2", "delivery", 60)},
		[]string{"suggestion tie 0.60 Undecided.", "suggestion tie 0.60 Undecided.", "match only 0.80 medium"}},
	{"a part here, taken there", []Pair{weighed("order 1", "delivery 1", 60, 20, 5, 5), weighed("order 1", "delivery 2", 60, 20, 15, 15), weighed("order 2", "delivery 2", 90, 15, 15, 15)},
		[]string{"match adds-up 0.90 medium", "nothing taken", "match only 1.00 medium"}},
	{"a part here, tied there", []Pair{weighed("order 1", "delivery 1", 60, 20, 5, 5), weighed("order 1", "delivery 2", 60, 20, 15, 15), weighed("order 2", "delivery 2", 60, 15, 15, 15)},
		[]string{"match adds-up 0.90 medium", "suggestion tie 0.50 Undecided.", "suggestion tie 0.50 Undecided."}},
	{"room here, a part there", []Pair{weighed("order 1", "invoice 1", 60, 20, 10, 4), weighed("order 1", "invoice 2", 60, 20, 5, 5), weighed("order 2", "invoice 1", 60, 6, 10, 6)},
		[]string{"match adds-up 0.90 medium", "match room 0.80 medium", "match adds-up 0.90 medium"}},

	// Pairs out of the question, and verdicts of people.
	{"a veto is no competition", []Pair{weighed("order", "invoice 1", 60), vetoed(weighed("order", "invoice 2", 90))}, []string{"match only 0.80 medium", "suggestion - 0.00 Not matched."}},
	{"confirmed", []Pair{verdict(Confirmed, weighed("order", "invoice", 10))}, []string{"match - 1.00 Confirmed by a person."}},
	{"confirmed against a veto", []Pair{verdict(Confirmed, vetoed(weighed("order", "invoice", 90)))}, []string{"match - 1.00 Confirmed by a person."}},
	{"confirmed, it leaves nothing", []Pair{verdict(Confirmed, weighed("order", "invoice 1", 10, 20, 20, 20)), weighed("order", "invoice 2", 90, 20, 20, 20)}, []string{"match - 1.00 Confirmed by a person.", "suggestion taken 0.60 Undecided."}},
	{"confirmed against a veto, it leaves nothing", []Pair{verdict(Confirmed, vetoed(weighed("order", "invoice 1", 90))), weighed("order", "invoice 2", 90)}, []string{"match - 1.00 Confirmed by a person.", "suggestion taken 0.60 Undecided."}},
	{"confirmed, what it leaves is not known", []Pair{verdict(Confirmed, vetoed(weighed("order", "invoice 1", 90))), weighed("order", "invoice 2", 90, 20, 20, 20)}, []string{"match - 1.00 Confirmed by a person.", "suggestion taken 0.60 Undecided."}},
	{"confirmed, it leaves the rest", []Pair{verdict(Confirmed, weighed("order", "invoice 1", 10, 20, 5, 5)), weighed("order", "invoice 2", 60, 20, 15, 15)}, []string{"match - 1.00 Confirmed by a person.", "match adds-up 0.90 medium"}},
	{"rejected", []Pair{verdict(Rejected, weighed("order", "invoice", 95))}, []string{"suggestion - 0.00 Rejected by a person."}},
	{"rejected with a veto", []Pair{verdict(Rejected, vetoed(weighed("order", "invoice", 95)))}, []string{"suggestion - 0.00 Rejected by a person."}},
	{"rejected, it leaves room", []Pair{verdict(Rejected, weighed("order", "invoice 1", 90, 20, 20, 20)), weighed("order", "invoice 2", 60, 20, 20, 20)}, []string{"suggestion - 0.00 Rejected by a person.", "match only 0.80 medium"}},
}

func TestDecide(t *testing.T) {
	t.Parallel()
	for _, tc := range decideRows {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if len(tc.want) != len(tc.pairs) {
				t.Fatalf("%d pairs, %d expectations", len(tc.pairs), len(tc.want))
			}
			c, d := Competition{Pairs: tc.pairs}, Competition{}
			for _, p := range tc.pairs {
				c.Documents = append(c.Documents, p.A)
				d.Pairs, d.Documents = append(d.Pairs, flipped(p)), append(d.Documents, p.B)
			}
			for i, p := range tc.pairs {
				for _, got := range []string{outcome(t, c, p), outcome(t, d, flipped(p))} {
					if got != tc.want[i] {
						t.Errorf("pair %d: got %q, want %q", i, got, tc.want[i])
					}
				}
			}
		})
	}
}

// TestCompetitionTableIsFull: a new kind needs a row of its own.
func TestCompetitionTableIsFull(t *testing.T) {
	t.Parallel()
	for _, kind := range []score.Kind{score.Only, score.AddsUp, score.Nearest, score.Tie, score.Farther, score.Taken, score.Copy, score.Chain,
		score.Implied, score.ThroughOrder, score.OfOtherOrder, score.OtherChain, score.Delivered, score.Meant} {
		name := kind.Because("")[0].Name
		if !slices.ContainsFunc(decideRows, func(row decideRow) bool {
			return slices.ContainsFunc(row.want, func(want string) bool { return slices.Contains(strings.Fields(want), name) })
		}) {
			t.Errorf("no row has the evidence %s", name)
		}
	}
}

// outcome is the outcome of a pair as decideRows writes it.
func outcome(t *testing.T, c Competition, p Pair) string {
	t.Helper()
	all := decided(c)
	i := slices.IndexFunc(all, func(j Decision) bool { return j.A == p.A && j.B == p.B })
	j := all[i]
	if !reflect.DeepEqual(j.Pair, p) {
		t.Errorf("decided %+v, want %+v", j.Pair, p)
	}
	if j.Score < 0 || j.Score > 1 {
		t.Errorf("a score of %v", j.Score)
	}
	evidence := "-"
	if n := len(p.Evidence); len(j.Evidence) > n {
		evidence = names(j.Evidence[n:])
	}
	if j.Outcome == Dropped {
		return "nothing " + evidence
	}
	why := j.Confidence
	for _, prefix := range []string{"Undecided.", "Not matched.", "Confirmed by a person.", "Rejected by a person."} {
		if strings.HasPrefix(j.Reasoning, prefix) {
			why = prefix
		}
	}
	if byPerson := strings.HasSuffix(why, "person."); byPerson != (j.DecidedBy == "person") || !byPerson && j.DecidedBy != "rules" {
		t.Errorf("%q was decided by %s", j.Reasoning, j.DecidedBy)
	}
	kind := map[Outcome]string{Matched: "match", Suggested: "suggestion"}[j.Outcome]
	return fmt.Sprintf("%s %s %.2f %s", kind, evidence, j.Score, why)
}

// TestDecideKeepsItsInput: they may have room for more evidence.
func TestDecideKeepsItsInput(t *testing.T) {
	t.Parallel()
	p := weighed("order", "invoice 1", 60)
	p.Evidence = slices.Grow(p.Evidence, 10)
	first := edgeOf(&p, newField(nil).of(&p), plain, Bounds{})
	edgeOf(&p, newField([]Pair{weighed("order", "invoice 2", 60)}).of(&p), plain, Bounds{})
	if names(first.Evidence) != "common-delivery only" || names(p.Evidence[:2]) != "common-delivery " {
		t.Errorf("got %s, and the pair %s", names(first.Evidence), names(p.Evidence[:2]))
	}
}

func TestDecideIgnoresOtherPairs(t *testing.T) {
	t.Parallel()
	near, far := weighed("order 1", "invoice 1", 60), weighed("order 2", "invoice 2", 60)
	between := weighed("order 2", "invoice 1", 60) // it ties with both of them
	d := result(Competition{Documents: []uuid.UUID{idOf("order 1")}, Pairs: []Pair{far, between, near}})
	if len(d.Matches) != 0 || len(d.Suggestions) != 1 || d.Suggestions[0].A != near.A {
		t.Errorf("got %+v, want a question about order 1: there is a tie", d)
	}
	d = result(Competition{Documents: []uuid.UUID{idOf("order 2"), idOf("invoice 2")}, Pairs: []Pair{far, near}})
	if len(d.Matches) != 1 || d.Matches[0].A != far.A || len(d.Suggestions) != 0 {
		t.Errorf("got %+v, want one match of order 2", d)
	}
	if d := result(Competition{Documents: []uuid.UUID{idOf("order 3")}, Pairs: []Pair{far, near}}); len(d.Matches)+len(d.Suggestions) != 0 {
		t.Errorf("got %+v about others", d)
	}
}

func TestReasoning(t *testing.T) {
	t.Parallel()
	two := []Pair{weighed("order", "invoice 1", 65), weighed("order", "invoice 2", 65)}
	for _, tc := range []struct {
		name  string
		pairs []Pair
		want  string // of the first pair
	}{
		{"only", two[:1], "By common-delivery. By vat-id. No other purchase order fits the invoice, and no other invoice the purchase order."},
		{"tie", two, "Undecided. By common-delivery. By vat-id. Other invoices fit the purchase order as well, and they cannot all belong to it."},
		{"tie, from the other side", []Pair{flipped(two[0]), two[1]}, "Undecided. By common-delivery. By vat-id. Other invoices fit the purchase order as well, and they cannot all belong to it."},
		{"taken", []Pair{weighed("order", "invoice 1", 80), weighed("order", "invoice 2", 90)}, "Undecided. By common-delivery. By vat-id. Other invoices fit the purchase order better and leave nothing for this one."},
		{"a part", parts("order", 20, "delivery", 5, 15), "By common-delivery. Alone or together with other delivery notes it makes up all of the purchase order."},
		{"veto", []Pair{vetoed(two[0])}, "Not matched. The currencies differ. By common-delivery."},
		{"confirmed", []Pair{verdict(Confirmed, two[0])}, "Confirmed by a person."},
	} {
		p := tc.pairs[0]
		if got := edgeOf(&p, newField(tc.pairs).of(&p), plain, Bounds{}).Reasoning; got != tc.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tc.name, got, tc.want)
		}
	}
}

// A citation with many points is of high confidence only where the contents agree.
func TestHighNeedsContents(t *testing.T) {
	t.Parallel()
	for contents, want := range map[int]string{-12: "medium", 8: "medium", 10: "high", 38: "high"} {
		p := weighed("order", "invoice", 0)
		p.Evidence = []score.Evidence{{Name: "cites", Points: 60}, {Name: "vat-id", Points: 35}, {Name: "amount", Points: contents}}
		numbers := *plain
		numbers.HighAt = 85
		all, err := Decide(t.Context(), Competition{Documents: documentsOf([]Pair{p}), Pairs: []Pair{p}, Numbers: &numbers})
		if err != nil || len(all) != 1 || all[0].Outcome != Matched || all[0].Confidence != want {
			t.Errorf("%d points of contents: got %+v, %v; want %s", contents, all, err, want)
		}
	}
}
