package score

import (
	"math"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/document/reference"

	"github.com/google/uuid"
)

// Document is a normalised document. Use Read to get one.
type Document struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Type     document.Type
	document.Data
	currencies []string // possible currencies; empty if unknown
	known      string   // as in Raw
	supplier   party
	buyer      party
	number     number
	cites      []*citation // typed ones first, then those found in texts
	mentions   []*citation // numbers in texts without a known label, of no type
	labels     map[string]taughtLabel
	habits     map[habit][]string // with their sources
	items      []item
	serials    []string  // of single pieces
	embedding  embedding // of its text
	amounts    []float64 // stated values: net, gross, the sum of its lines
	shares     []float64 // the percentages in its texts
	received   int64     // microseconds since 1970; 0: unknown
	swapped    bool      // day and month of the date, see readDate
}

// party is a company in comparable form; unknown fields are empty.
type party struct {
	VATID string `json:"vat_id,omitempty"`
	IBAN  string `json:"iban,omitempty"`
	Name  string `json:"name,omitempty"`
	name  company.Name
	valid bool     // the VAT id's check digits are right
	known []string // identities of its name
	place string   // its address, equal if characters were misread; empty without a house number
}

func (p *party) isZero() bool { return p.VATID == "" && p.IBAN == "" && p.Name == "" }

type number struct {
	Raw       string `json:"raw"`
	Canonical string `json:"canonical"`
	Loose     string `json:"loose,omitempty"` // equal for misread numbers; empty when too little is left
	parts     reference.Number
}

type citation struct {
	Type string `json:"type"` // empty: it may be of any type
	number
	InText bool   `json:"in_text,omitempty"` // found in the notes or in a line
	taught string // who taught its label
}

// Normalized is the stored part of a normalised document.
type Normalized struct {
	Tenant       uuid.UUID        // of the document and of its candidates
	Counterparty map[string]party // by role: supplier, buyer
	References   []*citation      // never nil
	Text         string           // for full-text search
	Keys         []string         // others use them to find it; sorted
	Lookup       []string         // use them to find others; sorted
	Window       Window           // the months of Lookup, as the store looks them up
	Vector       []byte           // embedding of its text after the embedder's tag; may be nil
	NoVector     string           // why an embedder refused it
	Naming       Naming           // for documents with the same supplier's name
	Known        string           // as in Raw
	Similar      []uuid.UUID      // documents to score whatever their keys; not stored
}

func normalise(id, tenant uuid.UUID, t document.Type, data document.Data) Document {
	d := Document{ID: id, TenantID: tenant, Type: t, Data: data, currencies: currencies(data.Currency),
		supplier: normaliseParty(data.Supplier), buyer: normaliseParty(data.Buyer),
		number: normaliseNumber(data.Number), items: items(data.Lines), serials: serials(data.Lines),
		amounts: amounts(data), shares: printedShares(data)}
	d.readCitations()
	return d
}

func (d *Document) readCitations() {
	d.cites, d.mentions = nil, nil
	for _, r := range d.References {
		d.cite(citation{Type: reference.Type(r.Type), number: normaliseNumber(r.Number)})
	}
	for _, text := range d.texts() {
		for _, f := range reference.Find(text) {
			d.cite(citation{Type: f.Type, number: normaliseNumber(f.Number), InText: true})
		}
	}
	d.citeLabelled()
	d.mention()
}

const maxMentions = 64

// mention collects the numbers in the texts that are neither citations nor articles. It must
// be bounded, because a text may repeat one number a million times.
func (d *Document) mention() {
	var found []string
	for _, text := range d.texts() {
		found = append(found, reference.Mentions(text, maxMentions-len(found))...)
	}
	if len(found) == 0 {
		return
	}
	known := map[string]bool{"": true, d.number.Canonical: true}
	for _, c := range d.cites {
		known[c.Canonical] = true
	}
	for _, l := range d.Lines[:min(len(d.Lines), maxLineTexts)] {
		known[reference.Canonical(l.SKU)] = true
	}
	for _, m := range found {
		c := &citation{number: normaliseNumber(m), InText: true}
		if !known[c.Canonical] && c.parts.Strength >= tiny {
			d.mentions = append(d.mentions, c)
		}
		known[c.Canonical] = true
	}
}

const maxLineTexts = 100

func (d *Document) texts() []string {
	texts := []string{d.Notes}
	for _, l := range d.Lines[:min(len(d.Lines), maxLineTexts)] {
		texts = append(texts, l.Description)
	}
	return texts
}

// maxCitations bounds the stored citations, because a pair compares each with each and each
// has its keys. It must have room for all references.
const maxCitations = document.MaxReferences + 100

// cite adds a citation once, and never the document's own number.
func (d *Document) cite(c citation) {
	same := func(o *citation) bool { return o.Type == c.Type && o.Canonical == c.Canonical }
	if c.Canonical != "" && len(d.cites) < maxCitations && !slices.ContainsFunc(d.cites, same) &&
		(c.Type != string(d.Type) && c.Type != "" || c.Canonical != d.number.Canonical) {
		d.cites = append(d.cites, &c)
	}
}

func normaliseParty(p document.Party) party {
	q := party{name: company.ParseName(p.Name)}
	q.VATID, q.valid = company.VATID(p.VATID)
	q.IBAN, _ = company.IBAN(p.IBAN)
	q.Name = q.name.Key()
	place := alphanumeric(p.Address[:min(len(p.Address), maxShown)])
	if len(place) >= tellingText && strings.ContainsAny(place, "0123456789") {
		q.place = looseText(place)
	}
	return q
}

func normaliseNumber(raw string) number {
	parts := reference.Read(raw)
	return number{Raw: raw, Canonical: parts.Canonical, Loose: parts.Loose, parts: parts}
}

// HasCounterparty reports whether the document names a company, at least by its address.
func (d *Document) HasCounterparty() bool {
	return !d.supplier.isZero() || !d.buyer.isZero() || d.Supplier.Address != "" || d.Buyer.Address != ""
}

// Normalized returns the stored part of d.
func (d Document) Normalized() Normalized {
	n := Normalized{Tenant: d.TenantID, Counterparty: map[string]party{}, References: append([]*citation{}, d.cites...),
		Naming: d.Naming(), Known: d.known}
	if !d.supplier.isZero() {
		n.Counterparty["supplier"] = d.supplier
	}
	if !d.buyer.isZero() {
		n.Counterparty["buyer"] = d.buyer
	}
	text := []string{d.Number, d.Supplier.Name, d.Buyer.Name}
	for _, l := range d.Lines {
		text = append(text, l.SKU, l.Description)
	}
	n.Text = strings.Join(strings.Fields(strings.Join(text, " ")), " ")
	n.Keys, n.Lookup = d.keys()
	n.Window = d.window()
	return n
}

func amounts(d document.Data) (list []float64) {
	var lines document.Amount
	for _, l := range d.Lines {
		lines = lines.Plus(l.Amount)
	}
	for _, a := range []float64{d.Subtotal.Float(), d.Total.Float(), lines.Float(), d.Total.Float() - d.Tax.Float()} {
		if a = math.Abs(a); a > 0 && !slices.ContainsFunc(list, func(b float64) bool { return near(a, b, 0.000001) }) {
			list = append(list, a)
		}
	}
	return list
}

// near reports whether two positive numbers differ by at most this share.
func near(a, b, share float64) bool { return max(a, b)-min(a, b) <= share*max(a, b) }
