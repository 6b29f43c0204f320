package score

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/reference"
)

// maxKey bounds a key, in bytes; a longer one is replaced by its hash. PostgreSQL
// refuses index entries of more than about 2,700 bytes.
const maxKey = 250

// maxItemKeys bounds the articles that candidates are looked up by.
const maxItemKeys = 12

// window is the distance in months within which two documents of one company
// find each other by their dates.
const window = 4

// maxMonths bounds the months of a contract by which it is found.
const maxMonths = 36

// keySet collects keys. They begin with a piece of the tenant's id, so that
// the index separates tenants that use the same numbers.
type keySet struct {
	tenant string
	keys   []string
}

func (s *keySet) add(parts ...string) {
	key := strings.Join(parts, "|")
	if len(s.tenant)+1+len(key) > maxKey {
		key = fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
	}
	s.keys = append(s.keys, s.tenant+"|"+key)
}

func (s *keySet) sorted() []string {
	slices.Sort(s.keys)
	return slices.Compact(s.keys)
}

// keys lists the keys that the document is found by and the keys that it looks
// others up by. They differ in the date, where it looks in the months around, in
// its days, by which the store orders the documents of a key, and in the company
// alone, by which only similar texts are looked up.
func (d Document) keys() (keys, lookup []string) {
	tenant := d.TenantID.String()[:8]
	found, look := keySet{tenant: tenant}, keySet{tenant: tenant}
	both := func(parts ...string) { found.add(parts...); look.add(parts...) }
	for _, n := range d.numbers() {
		for _, form := range n.parts.Keys() {
			both("ref", form)
		}
	}
	if base, revision := reference.Revision(d.Number); revision != "" && d.Type == document.OrderConfirmation {
		both("ref", reference.Canonical(base))
	}
	for _, day := range d.days() {
		found.add("day", day)
	}
	for _, who := range append(d.supplier.who(), d.buyer.who()...) {
		for _, a := range d.amounts {
			both("amount", who, strconv.FormatFloat(a, 'f', 2, 64))
		}
	}
	for _, who := range d.who() {
		found.add("who", who)
		for _, it := range d.items[:min(len(d.items), maxItemKeys)] {
			both("item", who, it.key(), strconv.FormatFloat(it.quantity.plain, 'f', -1, 64))
		}
		if d.Type != document.Contract && !d.Period.From.IsZero() {
			both("period", who, d.Period.From.String(), d.Period.To.String())
		}
		first, months := d.months()
		for i := range months {
			found.add("month", who, first.Month(i))
		}
		for i := -window; months > 0 && i < months+window; i++ {
			look.add("month", who, first.Month(i))
		}
	}
	return found.sorted(), look.sorted()
}

// months returns the months that the document is found by, the first and their
// number: that of its date, or those in which a contract runs.
func (d Document) months() (first document.Date, n int) {
	if d.Type != document.Contract || d.Period.From.IsZero() {
		if d.Date.IsZero() {
			return first, 0
		}
		return d.Date, 1
	}
	n = maxMonths
	if !d.Period.To.IsZero() {
		n = max(1, min(n, d.Period.From.DaysUntil(d.Period.To)/30+1))
	}
	return d.Period.From, n
}

// days lists the days by which the store orders the document among others with
// the same key: its date, or the first of each month in which a contract runs.
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

// Window is the time in which the documents of one company are candidates of each
// other, whatever their contents. Days are numbers such as 20260131.
type Window struct {
	Company  []string // the keys of the company
	Days     []int32  // of the document; none if it has no date
	From, To int32    // of its candidates
}

func (d Document) window() (w Window) {
	first, months := d.months()
	if months == 0 {
		return w
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

// numbers lists the document's own number and those that it cites. A number of
// fewer than four digits without a label is as likely a size.
func (d Document) numbers() []number {
	list := []number{d.number}
	for _, c := range d.cites {
		list = append(list, c.number)
	}
	for _, c := range d.mentions {
		if c.parts.Strength >= short {
			list = append(list, c.number)
		}
	}
	return list
}

// Companies lists the keys of all documents of the company.
func (d Document) Companies() []string {
	keys := keySet{tenant: d.TenantID.String()[:8]}
	for _, who := range d.who() {
		keys.add("who", who)
	}
	return keys.sorted()
}

// who lists the forms by which the company may be recognised on another
// document. The buyer is most often the tenant itself: it counts only where the
// supplier is not named.
func (d *Document) who() []string {
	if d.supplier.isZero() {
		return d.buyer.who()
	}
	return d.supplier.who()
}

func (p *party) who() (list []string) {
	if p.VATID != "" {
		list = append(list, p.VATID)
	}
	if p.IBAN != "" {
		list = append(list, p.IBAN)
	}
	return append(list, p.name.Keys()...)
}
