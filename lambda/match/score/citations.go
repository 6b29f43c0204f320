package score

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"
)

// compareCitations looks for numbers connecting the documents. A direct citation outweighs a
// common one, unless it may be a coincidence or a misreading.
func compareCitations(a, b *Document) []Evidence {
	direct := directCitation(a, b)
	if direct != nil && direct[0].Points > evCitesWeakly.points {
		return direct
	}
	if ev := revision(a, b); ev != nil {
		return ev
	}
	common := commonCitation(a, b)
	if direct == nil && (common == nil || common[0].Points <= 0) {
		direct = better(a.nearly(b), b.nearly(a))
	}
	if direct != nil {
		return append(direct, common...)
	}
	if ev := citesOther(a, b); ev != nil {
		return append(common, ev...)
	}
	return append(common, citesOther(b, a)...)
}

// directCitation is the strongest evidence that one document cites the other. If two are
// equally strong, it returns the same one from both sides.
func directCitation(a, b *Document) []Evidence {
	ab, ba := cites(a, b), cites(b, a)
	if ab == nil || ba != nil && cmp.Or(cmp.Compare(ba[0].Points, ab[0].Points), cmp.Compare(ba[0].Name, ab[0].Name)) > 0 {
		return ba
	}
	return ab
}

// cites returns the strongest evidence for the number of b among the citations of a and the
// numbers in its texts.
func cites(a, b *Document) (best []Evidence) {
	for _, c := range a.cites {
		best = better(best, by(c, c.cites(a, b)))
	}
	if best != nil && best[0].Points >= evCites.points {
		return best
	}
	for _, m := range a.mentions {
		best = better(best, by(m, m.mentions(a, b)))
	}
	return best
}

func by(c *citation, evidence []Evidence) []Evidence {
	for i := range evidence {
		evidence[i].Cited = c.Canonical
	}
	return explained(evidence, c)
}

// better returns the evidence with more points, the first if they are equal.
func better(a, b []Evidence) []Evidence {
	if a == nil || b != nil && b[0].Points > a[0].Points {
		return b
	}
	return a
}

// Strengths of agreeing digits (see reference.Strength): below short a number may be a
// coincidence, from long on it isn't one, wherever it stands.
const (
	tiny  = 0.29 // three digits
	short = 0.5  // four
	long  = 0.7  // five
)

// cites compares a citation of a with the number of b. Without a type it may be of any type.
func (c *citation) cites(a, b *Document) []Evidence {
	agreement, strength := c.parts.Means(b.number.parts)
	if agreement < reference.Misread {
		return nil
	}
	from, to, number := a.Type.Words(), b.Type.Words(), b.Number
	switch {
	case c.Type != "" && c.Type != string(b.Type):
		if agreement == reference.Same && strength >= long {
			return evCitesAsOther.Because("The %s cites %q, the number of the %s, as another type.", from, c.Raw, to)
		}
	case agreement == reference.Same && c.Type == "" && !cited(a, b):
		return evCitesUnnamed.Because("The %s cites %q, the number of the %s, which such documents seldom cite.", from, c.Raw, to)
	case agreement == reference.Same && strength < short:
		return evCitesShort.Because("The %s cites the %s %s%s.", from, to, number, written(c, b))
	case agreement == reference.Same:
		return evCites.Because("The %s cites the %s %s%s.", from, to, number, written(c, b))
	case agreement == reference.Part && strength < short:
		return evCitesWeakly.Because("The %s cites %q, which may be a part of the %s.", from, c.Raw, number)
	case agreement == reference.Part:
		return evCitesPart.Because("The %s cites %q, a part of the %s %s.", from, c.Raw, to, number)
	case agreement == reference.Misread:
		return evCitesLoosely.Because("The %s cites %q, which may be a misread %s.", from, c.Raw, number)
	}
	return nil
}

// mentions compares a number in a text of a, without a known label, with the number of b. Only
// its length counts.
func (c *citation) mentions(a, b *Document) []Evidence {
	agreement, strength := c.parts.Means(b.number.parts)
	if agreement != reference.Same && agreement != reference.Part || strength < tiny {
		return nil
	}
	whole, from, to := agreement == reference.Same, a.Type.Words(), b.Type.Words()
	switch {
	case !cited(a, b) && (!whole || strength < short):
		return nil
	case !cited(a, b):
		return evCitesUnnamed.Because("The %s mentions %q, the number of the %s, which such documents seldom cite.", from, c.Raw, to)
	case whole && strength >= long:
		return evCites.Because("The %s cites the %s %s%s.", from, to, b.Number, written(c, b))
	case whole && strength >= short:
		return evCitesShort.Because("The %s cites the %s %s%s.", from, to, b.Number, written(c, b))
	case strength >= long:
		return evCitesPart.Because("The %s mentions %q, a part of the %s %s.", from, c.Raw, to, b.Number)
	case whole:
		return evCitesWeakly.Because("The %s mentions %q, the number of the %s.", from, c.Raw, to)
	}
	return nil
}

// usual lists the types that documents of a type cite. A number without a known word in front is
// weak evidence for any other, because another document of a usual type may have it.
var usual = map[document.Type][]document.Type{
	document.PurchaseOrder:     {document.Contract},
	document.OrderConfirmation: {document.PurchaseOrder},
	document.DeliveryNote:      {document.PurchaseOrder},
	document.GoodsReceipt:      {document.PurchaseOrder, document.DeliveryNote},
	document.Invoice:           {document.PurchaseOrder, document.DeliveryNote, document.GoodsReceipt, document.Contract},
	document.CreditNote:        {document.Invoice, document.GoodsReceipt},
}

func cited(citing, other *Document) bool { return slices.Contains(usual[citing.Type], other.Type) }

// written adds the spelling of a citation if it differs from the number.
func written(c *citation, of *Document) string {
	if c.Raw == of.Number {
		return ""
	}
	return fmt.Sprintf(", written %q", c.Raw)
}

// nearly looks for citations one digit off the other document's number, so that a person sees the
// possible mistake.
func (d *Document) nearly(b *Document) (best []Evidence) {
	for _, c := range d.cites {
		if c.Type != "" && c.Type != string(b.Type) {
			continue
		}
		switch agreement, _ := c.parts.Agrees(b.number.parts); agreement {
		case reference.Nearly:
			best = better(best, by(c, evCitesNearly.Because("The %s cites %q, which may be %s with a digit missing or transposed.",
				d.Type.Words(), c.Raw, b.Number)))
		case reference.OneOff:
			best = better(best, by(c, evCitesOff.Because("The %s cites %q, which differs from %s in one digit.",
				d.Type.Words(), c.Raw, b.Number)))
		}
	}
	return best
}

// revision recognises confirmations numbered as a revision of the order.
func revision(a, b *Document) []Evidence {
	if a.Type == document.OrderConfirmation {
		a, b = b, a
	}
	if a.Type != document.PurchaseOrder || b.Type != document.OrderConfirmation {
		return nil
	}
	base, rev := reference.Revision(b.Number)
	switch {
	case rev == "":
	case same(reference.Canonical(base), a.number.Canonical):
		return evRevision.Because("%s is a revision of %s.", b.Number, a.Number)
	case a.Number != "" && shape(base) == shape(a.Number):
		return evOtherCitation.Because("%s is a revision of another order.", b.Number)
	}
	return nil
}

// shape is a number with 0 for each digit and A for each letter, so that a series has one.
func shape(number string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r):
			return 'A'
		}
		return r
	}, strings.TrimSpace(number))
}

// commonCitation returns the evidence for the strongest number cited by both, or against the
// pair if both cite orders (or deliveries), but different ones.
func commonCitation(a, b *Document) (found []Evidence) {
	for _, c := range a.cites {
		for _, o := range b.cites {
			if c.parts.Meets(&o.parts) && c.isCommon(o) {
				found = better(found, explained(sayCommon(c, o), c, o))
			}
		}
	}
	found = better(found, mentioned(a, b))
	if found = better(found, mentioned(b, a)); found != nil {
		return found
	}
	for _, t := range []document.Type{document.PurchaseOrder, document.DeliveryNote} {
		if t == a.Type || t == b.Type {
			continue
		}
		if c, o, ok := sameForm(a.of(t), b.of(t)); ok {
			return explained(evOtherCommon.Because("They cite different %ss: %s and %s.", t.Words(), c.Raw, o.Raw), c, o)
		}
	}
	return nil
}

// mentioned finds a number cited by a with its type and mentioned in a text of b.
func mentioned(a, b *Document) (found []Evidence) {
	for _, c := range a.cites {
		if c.Type == "" || c.Type == string(b.Type) {
			continue
		}
		for _, m := range b.mentions {
			if !c.parts.Meets(&m.parts) {
				continue
			}
			if agreement, strength := m.parts.Means(c.parts); agreement == reference.Same && strength >= long {
				found = better(found, explained(sayCommon(c, c), c))
			}
		}
	}
	return found
}

func (c *citation) isCommon(o *citation) bool {
	if c.Type != o.Type && c.Type != "" && o.Type != "" {
		return false
	}
	agreement, strength := c.parts.Means(o.parts)
	if back, s := o.parts.Means(c.parts); back > agreement || back == agreement && s > strength {
		agreement, strength = back, s
	}
	switch agreement {
	case reference.Same:
		return c.Type == o.Type || strength >= short
	case reference.Part:
		return strength >= long
	}
	return agreement == reference.Misread
}

// sayCommon describes a citation of both, using the type known to one of them.
func sayCommon(c, o *citation) []Evidence {
	switch t := document.Type(cmp.Or(c.Type, o.Type)); {
	case t == document.DeliveryNote:
		return evCommonDelivery.Because("Both cite the delivery note %s.", c.Raw)
	case slices.Contains(document.Types, t):
		return evCommonCitation.Because("Both cite the %s %s.", t.Words(), c.Raw)
	}
	return evCommonOther.Because("Both cite the number %s.", c.Raw)
}

// most bounds the citations compared to show that they differ.
const most = 20

func (d *Document) of(t document.Type) (list []*citation) {
	for _, c := range d.cites {
		if c.Type == string(t) && len(list) < most {
			list = append(list, c)
		}
	}
	return list
}

// sameForm finds two numbers of one form, since other forms may come from other systems.
func sameForm(a, b []*citation) (c, o *citation, ok bool) {
	for _, c := range a {
		for _, o := range b {
			if c.parts.Alike(&o.parts) {
				return c, o, true
			}
		}
	}
	return nil, nil, false
}

// citesOther is the evidence that a cites another document of b's type: a number of the form
// of b's, or one of the same series without a known type.
func citesOther(a, b *Document) (found []Evidence) {
	if b.number.Canonical == "" {
		return nil
	}
	from, to := a.Type.Words(), b.Type.Words()
	if list := a.of(b.Type); len(list) > 0 {
		own := []*citation{{number: b.number}}
		if c, _, ok := sameForm(list, own); ok {
			return explained(evOtherCitation.Because("The %s cites another %s: %s.", from, to, c.Raw), c)
		}
		return explained(evOtherForm.Because("The %s cites a %s of another form: %s.", from, to, list[0].Raw), list[0])
	}
	c := cmp.Or(ofSeries(a.cites, b.number), ofSeries(a.mentions, b.number))
	if agreement, _ := a.number.parts.Agrees(b.number.parts); c == nil || agreement >= reference.Series {
		return nil // the number may be of a's type
	}
	return evOtherSeries.Because("The %s cites %s, which is of the series of %s.", from, c.Raw, b.Number)
}

// ofSeries finds a citation without a type in the series of a number.
func ofSeries(list []*citation, n number) *citation {
	for _, c := range list[:min(len(list), most)] {
		if agreement, _ := c.parts.Agrees(n.parts); c.Type == "" && agreement == reference.Series {
			return c
		}
	}
	return nil
}
