package match

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/match/rules"
	"matchbook/lambda/match/score"
	"matchbook/lambda/match/threeway"

	"github.com/google/uuid"
)

// competition returns lines about the rivals of a pair, from both sides. They must not contain
// text of a document, because that may be hostile.
func competition(doc, candidate score.Raw, d rules.Decision) (lines string) {
	ofDoc, ofCandidate := d.Rivals[0], d.Rivals[1]
	if d.A == candidate.ID {
		ofDoc, ofCandidate = ofCandidate, ofDoc
	}
	for _, side := range []struct {
		self, other string
		raw         score.Raw
		rules.Rivals
	}{{candidate.Type.Words(), doc.Type.Words(), candidate, ofCandidate}, {"document", candidate.Type.Words(), doc, ofDoc}} {
		var facts []string
		if side.Certain > 0 {
			facts = append(facts, others(side.Certain, side.other, "belongs", "belong")+" to the "+side.self+" beyond doubt")
		}
		if side.Equal > 0 {
			facts = append(facts, others(side.Equal, side.other, "fits", "fit")+" the "+side.self+" as well"+nearer(side.Rivals))
		}
		if side.Certain > 0 && side.Left < side.Units && counts(side.raw, side.Units) {
			facts = append(facts, "of its "+plain(side.Units)+" units "+plain(side.Left)+" are left")
		}
		if len(facts) > 0 {
			lines += "competition: " + strings.Join(facts, "; ") + "\n"
		}
	}
	return lines
}

func others(n int, typ, one, many string) string {
	if n == 1 {
		return "one other " + typ + " " + one
	}
	return "several other " + typ + "s " + many
}

// nearer says whether documents that fit as well are nearer in time.
func nearer(r rules.Rivals) string {
	switch {
	case r.Nearer == 0:
		return ""
	case r.Equal == 1:
		return " and is nearer in time"
	case r.Nearer == 1:
		return ", and one of them is nearer in time"
	}
	return ", and several of them are nearer in time"
}

// counts reports whether the document has one item, in so many units: sums over several items,
// or in the other document's units, would mislead.
func counts(raw score.Raw, units float64) bool {
	d, err := document.Parse([]byte(raw.Data))
	if err != nil || len(d.Lines) != 1 {
		return false
	}
	quantity := d.Lines[0].Quantity.Float()
	return math.Abs(quantity-units) <= 1e-9*units
}

// conversions returns a line for each item with another unit than the candidate's item, if only the
// prices convert it. Like competition, they contain no text of a document.
func conversions(doc, candidate score.Raw) (lines string) {
	a, err1 := document.Parse([]byte(doc.Data))
	b, err2 := document.Parse([]byte(candidate.Data))
	if err1 != nil || err2 != nil {
		return ""
	}
	const shown = maxPromptLines
	for _, l := range score.AlignLines(a.Lines[:min(len(a.Lines), shown)], b.Lines[:min(len(b.Lines), shown)]) {
		i, j := l.A[0], l.B[0]
		one, other := fmt.Sprintf("item %d of the document", i+1), fmt.Sprintf("item %d of the candidate", j+1)
		of := threeway.Convert(a.Lines[i], b.Lines[j])
		if !of.IsZero() && of.Float() < 1 {
			one, other, of = other, one, threeway.Convert(b.Lines[j], a.Lines[i])
		}
		if !of.IsZero() {
			lines += "units: one unit of " + one + " is " + plain(of.Float()) + " of " + other + ", by their prices\n"
		}
	}
	return lines
}

// plain writes a number without an exponent, to at most four decimals.
func plain(x float64) string { return strconv.FormatFloat(math.Round(x*1e4)/1e4, 'f', -1, 64) }

// knownOf lists the documents to which a document of the open pairs belongs beyond doubt. A
// number that an open pair has too, such as a copy's, is no knowledge.
func knownOf(id uuid.UUID, open []rules.Decision) (known []rules.Known) {
	asked := map[rules.Known]bool{}
	for _, d := range open {
		switch id {
		case d.A:
			known, asked[rules.Known{Type: d.Pair.TypeB, Number: d.Pair.Ends[1].Number}] = d.Known[0], true
		case d.B:
			known, asked[rules.Known{Type: d.Pair.TypeA, Number: d.Pair.Ends[0].Number}] = d.Known[1], true
		}
	}
	return slices.DeleteFunc(slices.Clone(known), func(k rules.Known) bool { return asked[k] })
}
