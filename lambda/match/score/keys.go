package score

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/reference"

	"github.com/google/uuid"
)

// maxKey bounds a key, in bytes; a longer one is replaced by its hash, because PostgreSQL
// refuses index entries above about 2,700 bytes.
const maxKey = 250

// maxItemKeys bounds the articles used to look up candidates.
const maxItemKeys = 12

// window is the distance in months in which documents of one company find each other.
const window = 4

// maxMonths bounds the months of a contract used as keys.
const maxMonths = 36

// keyOf joins the parts of a key. It begins with a piece of the tenant's id, so that the index
// separates tenants using the same numbers.
func keyOf(tenant uuid.UUID, parts ...string) string {
	prefix, key := hex.EncodeToString(tenant[:4])+"|", strings.Join(parts, "|")
	if len(prefix)+len(key) > maxKey {
		key = fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
	}
	return prefix + key
}

func sorted(keys []string) []string {
	slices.Sort(keys)
	return slices.Compact(keys)
}

// keys returns the keys that find the document, and the keys it looks others up by. They
// differ in four ways: lookup has the months around the date; keys have the document's days,
// used by the store to order the documents of a key, and the company alone, used only for
// similar texts; and citations differ by direction (see numberKeys).
func (d Document) keys() (keys, lookup []string) {
	both, found, looked := d.numberKeys()
	for _, a := range d.amounts {
		amount := strconv.FormatFloat(a, 'f', 2, 64)
		for _, who := range slices.Concat(d.supplier.who(), d.buyer.who()) {
			both = append(both, keyOf(d.TenantID, "amount", who, amount))
		}
	}
	company := d.who()
	for _, it := range d.items[:min(len(d.items), maxItemKeys)] {
		article, quantity := it.key(), strconv.FormatFloat(it.quantity.plain, 'f', -1, 64)
		for _, who := range company {
			both = append(both, keyOf(d.TenantID, "item", who, article, quantity))
		}
	}
	if d.Type != document.Contract && !d.Period.From.IsZero() {
		from, to := d.Period.From.String(), d.Period.To.String()
		for _, who := range company {
			both = append(both, keyOf(d.TenantID, "period", who, from, to))
		}
	}
	keys, lookup = slices.Concat(both, found, d.Companies()), slices.Concat(both, looked)
	for _, day := range d.days() {
		keys = append(keys, keyOf(d.TenantID, "day", day))
	}
	first, n := d.months()
	for i := -window; n > 0 && i < n+window; i++ {
		for _, who := range company {
			lookup = append(lookup, keyOf(d.TenantID, "month", who, first.Month(i)))
			if i >= 0 && i < n {
				keys = append(keys, lookup[len(lookup)-1])
			}
		}
	}
	return sorted(keys), sorted(lookup)
}

// numberKeys are the forms of the document's own number and of the cited ones. Those in both
// connect documents with a common number. Those in keys, made of the document's number, are looked
// up by the documents citing it, and those in lookup are the cited documents' own. A number may be
// cited by thousands of documents; each of them must still find the few with that number.
func (d Document) numberKeys() (both, keys, lookup []string) {
	add := func(kind, other string, forms ...string) {
		for _, form := range forms {
			both, keys = append(both, keyOf(d.TenantID, "ref", form)), append(keys, keyOf(d.TenantID, kind, form))
			lookup = append(lookup, keyOf(d.TenantID, other, form))
		}
	}
	add("own", "cit", d.number.parts.Keys()...)
	for _, c := range d.cites {
		add("cit", "own", c.parts.Keys()...)
	}
	for _, m := range d.mentions {
		if m.parts.Strength >= short { // numbers of fewer digits without a label may as well be sizes
			add("cit", "own", m.parts.Keys()...)
		}
	}
	if base, revision := reference.Revision(d.Number); revision != "" && d.Type == document.OrderConfirmation {
		add("cit", "own", reference.Canonical(base))
	}
	return both, keys, lookup
}

// OwnKeys are the keys of a tenant's documents with a number, in whatever form it is written.
// Use them to find the documents a person asks for.
func OwnKeys(tenant uuid.UUID, number string) ([]string, error) {
	data, err := json.Marshal(document.Data{Number: number})
	if err != nil {
		return nil, err
	}
	d, err := Read(Raw{TenantID: tenant, Type: document.Invoice, Data: string(data)})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(d.Normalized().Keys, func(key string) bool { return !strings.HasPrefix(key[8:], "|own|") }), nil
}

// months returns the first month that finds the document and the number of months: its date's,
// or all months of a contract. A document without a date has the day it was received: documents of
// one company then still find each other. The evidence uses printed dates only.
func (d Document) months() (first document.Date, n int) {
	day := d.Date
	if day.IsZero() && d.received != 0 {
		day = document.DateOf(time.UnixMicro(d.received))
	}
	switch {
	case d.Type == document.Contract && !d.Period.From.IsZero() && d.Period.To.IsZero():
		return d.Period.From, maxMonths
	case d.Type == document.Contract && !d.Period.From.IsZero():
		return d.Period.From, max(1, min(maxMonths, d.Period.From.DaysUntil(d.Period.To)/30+1))
	case day.IsZero():
		return day, 0
	default:
		return day, 1
	}
}

// days lists the days by which the store orders the document among others with the same key:
// its date, or the first of each month of a contract.
func (d Document) days() (list []string) {
	first, months := d.months()
	if d.Type != document.Contract && months > 0 {
		return []string{first.String()}
	}
	for i := range months {
		list = append(list, first.Month(i)+"-01")
	}
	return list
}

// Window is the time in which the documents of one company are candidates of each other,
// whatever their contents. Days are numbers such as 20260131.
type Window struct {
	Company  []string // the keys of the company
	Days     []int32  // of the document; empty without a date, so that time finds no candidates
	From, To int32    // of its candidates
}

func (d Document) window() (w Window) {
	first, months := d.months()
	if months == 0 {
		return Window{Company: d.Companies()}
	}
	w = Window{d.Companies(), nil, number8(first.Month(-window)) * 100, number8(first.Month(months+window-1))*100 + 99}
	for _, day := range d.days() {
		w.Days = append(w.Days, number8(day))
	}
	return w
}

// number8 is a date or a month as a number, in the order of time.
func number8(date string) int32 {
	n, _ := strconv.ParseInt(strings.ReplaceAll(date, "-", ""), 10, 32) // of at most eight digits
	return int32(n)
}

// Companies lists the keys of all documents of the company.
func (d Document) Companies() []string {
	keys := []string{}
	for _, who := range d.who() {
		keys = append(keys, keyOf(d.TenantID, "who", who))
	}
	return sorted(keys)
}

// who lists the forms that may identify the company on another document. The buyer is mostly
// the tenant itself, so use it only without a supplier.
func (d *Document) who() []string {
	if d.supplier.isZero() {
		return d.buyer.who()
	}
	return d.supplier.who()
}

func (p *party) who() (list []string) {
	for _, identity := range append([]string{p.VATID, p.IBAN}, p.known...) {
		if identity != "" && !slices.Contains(list, identity) {
			list = append(list, identity)
		}
	}
	return append(list, p.name.Keys()...)
}
