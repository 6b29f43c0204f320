package taught

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/document/company"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/printed"
	"matchbook/lambda/internal/lazy"
)

// The kinds of keys, the surest first.
var keyKinds = []string{"vat:", "iban:", "head:"}

// Keys identify the supplier of a document: the VAT id, the IBAN, and the words of its
// letterhead. Our ids and the buyer's are left out.
func Keys(d document.Data, lines []Line, own []document.Party) (keys []string) {
	ours := func(id string) bool {
		return id == "" || id == plain(d.Buyer.VATID, company.VATID) || id == plain(d.Buyer.IBAN, company.IBAN) ||
			slices.ContainsFunc(own, func(p document.Party) bool { return p.VATID == id })
	}
	if id := plain(d.Supplier.VATID, company.VATID); !ours(id) {
		keys = append(keys, "vat:"+id)
	}
	if id := plain(d.Supplier.IBAN, company.IBAN); !ours(id) && d.Payee == (document.Party{}) {
		keys = append(keys, "iban:"+id)
	}
	if head := letterhead(lines); head != "" {
		keys = append(keys, "head:"+head)
	}
	return keys
}

func plain(id string, read func(string) (string, bool)) string {
	if id, ok := read(id); ok {
		return id
	}
	return ""
}

// domain tells one letterhead from others. The words of titles and labels are the same in many, and
// a street or a town may be the recipient's.
var domain = lazy.Regexp(`(?i)(?:@|https?://|www\.)[\pL\d-]+\.\pL{2,}`)

// letterhead returns the hash of the words at the top of the first page, without lines with a date;
// empty if there is no domain among them.
func letterhead(lines []Line) string {
	const high = 0.15
	all, known := []string{}, false
	for _, l := range lines {
		if l.Page != 1 || l.Box[top] >= high || len(printed.Dates(l.Text)) > 0 {
			continue
		}
		known = known || domain().MatchString(l.Text)
		all = append(all, strings.Fields(words(l.Text))...)
	}
	if !known {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(all, " ")))
	return hex.EncodeToString(sum[:12])
}

func keyOf(keys []string, kind string) string {
	for _, k := range keys {
		if strings.HasPrefix(k, kind) {
			return k
		}
	}
	return ""
}

// Supplier names the supplier by its ids.
func (r Rule) Supplier() string {
	for _, k := range [][2]string{{"vat:", "VAT id "}, {"iban:", "IBAN "}} {
		if id, ok := strings.CutPrefix(keyOf(r.Keys, k[0]), k[0]); ok {
			return k[1] + id
		}
	}
	return "a letterhead"
}

// known reports whether an id is among the keys.
func known(keys []string) bool { return keyOf(keys, "vat:") != "" || keyOf(keys, "iban:") != "" }

// agree reports whether two documents have one supplier: the surest kind of key that both have
// decides. A document with a VAT id isn't a supplier's that printed none.
func agree(rule, doc []string) bool {
	if keyOf(rule, "vat:") == "" && keyOf(doc, "vat:") != "" {
		return false
	}
	for _, kind := range keyKinds {
		if a, b := keyOf(rule, kind), keyOf(doc, kind); a != "" && b != "" {
			return a == b
		}
	}
	return false
}

// identical reports whether the ids are the same, or without ids the letterhead. A name
// that isn't printed needs that, because a factor's account has many suppliers.
func identical(rule, doc []string) bool {
	same := func(kind string) bool { return keyOf(rule, kind) == keyOf(doc, kind) }
	return same("vat:") && same("iban:") && (known(rule) || same("head:"))
}

// Same reports whether two rules are about one field of one supplier's documents of a type. A
// name has no type.
func Same(a, b Rule) bool {
	return a.Field == b.Field && (a.Type == b.Type || a.Field == name) && agree(a.Keys, b.Keys)
}

// Of returns the rules about the supplier of an extraction with these keys, for its type, and
// nothing if they're about two suppliers.
func Of(rules []Rule, e extraction.Extraction, keys []string) (mine []Rule) {
	rules = slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !agree(r.Keys, keys) })
	taken := map[string]bool{}
	for _, r := range rules {
		if !agree(rules[0].Keys, r.Keys) && !agree(r.Keys, rules[0].Keys) {
			return nil
		}
		if (r.Type == e.Type || r.Field == name) && !taken[r.Field] {
			mine, taken[r.Field] = append(mine, r), true
		}
	}
	return mine
}
