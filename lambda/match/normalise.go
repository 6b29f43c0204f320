package match

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"matchbook/lambda/document"

	"github.com/google/uuid"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// doc is a document, normalised: what scores are computed from.
type doc struct {
	ID       uuid.UUID
	TenantID uuid.UUID
	Type     document.Type
	document.Data
	supplier party
	buyer    party
	number   string // canonical form of its own number
	cites    []citation
	lines    map[string]document.Amount // quantity by item
}

// party is a company in comparable form; what is not known is empty.
type party struct {
	VATID string `json:"vat_id,omitempty"`
	IBAN  string `json:"iban,omitempty"`
	Name  string `json:"name,omitempty"`
}

// citation is a number that the document cites.
type citation struct {
	Type      string `json:"type"`
	Raw       string `json:"raw"`
	Canonical string `json:"canonical"`
}

// Normalized is what the store keeps of a normalised document.
type Normalized struct {
	Counterparty map[string]party // by role: supplier, buyer
	References   []citation       // never nil
	Text         string           // what a person would search for
	Keys         []string         // what candidates are looked up by; sorted
}

func normalise(id, tenant uuid.UUID, t document.Type, data document.Data) doc {
	d := doc{ID: id, TenantID: tenant, Type: t, Data: data,
		supplier: normaliseParty(data.Supplier), buyer: normaliseParty(data.Buyer),
		number: canonical(data.Number), lines: quantities(data.Lines)}
	for _, r := range data.References {
		if c := canonical(r.Number); c != "" {
			d.cites = append(d.cites, citation{strings.ToLower(strings.TrimSpace(r.Type)), r.Number, c})
		}
	}
	return d
}

func (d doc) hasCounterparty() bool { return d.supplier != party{} || d.buyer != party{} }

// normalized is the part of d that is stored.
func (d doc) normalized() Normalized {
	n := Normalized{Counterparty: map[string]party{}, References: append([]citation{}, d.cites...)}
	if d.supplier != (party{}) {
		n.Counterparty["supplier"] = d.supplier
	}
	if d.buyer != (party{}) {
		n.Counterparty["buyer"] = d.buyer
	}
	text := []string{d.Number, d.Supplier.Name, d.Buyer.Name}
	for _, l := range d.Lines {
		text = append(text, l.SKU, l.Description)
	}
	n.Text = strings.Join(strings.Fields(strings.Join(text, " ")), " ")
	n.Keys = d.keys()
	return n
}

// maxKey is how long a key may be, in bytes; of a longer one the hash is
// taken. PostgreSQL refuses index entries of more than about 2,700 bytes.
const maxKey = 250

// keys are the same for two documents that may have to do with each other: a
// document's own number and every number it cites, by type; and who and how
// much. They begin with a piece of the tenant's id, so that the index tells
// tenants apart that use the same numbers.
func (d doc) keys() (keys []string) {
	add := func(parts ...string) {
		tenant, key := d.TenantID.String()[:8], strings.Join(parts, "|")
		if len(tenant)+1+len(key) > maxKey {
			key = fmt.Sprintf("%x", sha256.Sum256([]byte(key)))
		}
		keys = append(keys, tenant+"|"+key)
	}
	if d.number != "" {
		add(string(d.Type), d.number)
	}
	for _, c := range d.cites {
		add(c.Type, c.Canonical)
	}
	for _, who := range []string{d.supplier.VATID, d.supplier.IBAN, d.supplier.Name} {
		for _, sum := range []document.Amount{d.Subtotal, d.Total} {
			if who != "" && !sum.IsZero() {
				add("amount", who, sum.Canonical())
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func normaliseParty(p document.Party) party {
	return party{VATID: alphanumeric(p.VATID), IBAN: alphanumeric(p.IBAN), Name: companyName(p.Name)}
}

// alphanumeric is s in upper case without separators, each character in its
// plain form: full width digits are digits, a letter and its mark are one.
func alphanumeric(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, norm.NFKC.String(s))
}

// canonical is a number in the form in which different spellings of it agree:
// no separators, no prefix that only says what it is, no leading zeros.
func canonical(number string) string {
	s := alphanumeric(number)
	for _, prefix := range []string{"PO", "NR", "NO"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok && rest != "" && unicode.IsDigit(rune(rest[0])) {
			s = rest
			break
		}
	}
	if trimmed := strings.TrimLeft(s, "0"); trimmed != "" || s == "" {
		return trimmed
	}
	return "0"
}

// umlauts are spelled out before other marks are dropped: ü is ue, é is e.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss", "æ", "ae", "ø", "oe", "å", "aa")

// legalForms end a company's name and say nothing about which company it is.
// They are compared without dots, word by word: S.à r.l. is two words.
var legalForms = map[string]bool{
	"gmbh": true, "ag": true, "kg": true, "kgaa": true, "ohg": true, "gbr": true, "ug": true, "se": true, "ek": true, "eu": true, "co": true,
	"sarl": true, "rl": true, "sas": true, "sa": true, "eurl": true, "snc": true, "srl": true, "spa": true,
	"bv": true, "nv": true, "ltd": true, "limited": true, "plc": true, "llc": true, "inc": true, "llp": true,
}

// companyName is a name in lower case, spelled in ASCII letters where it can
// be, without punctuation and without legal forms at its end.
func companyName(name string) string {
	s := umlauts.Replace(strings.ToLower(norm.NFKC.String(name)))
	if plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), s); err == nil {
		s = plain
	}
	s = strings.ReplaceAll(s, ".", "") // G.m.b.H. is one word
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for len(words) > 1 && legalForms[words[len(words)-1]] {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// quantities adds up the quantity of each item, by SKU or else by
// description; nil when a line names neither or has no quantity.
func quantities(lines []document.Line) map[string]document.Amount {
	sums := make(map[string]document.Amount, len(lines))
	for _, l := range lines {
		item := alphanumeric(l.SKU)
		if item == "" {
			item = companyName(l.Description)
		}
		if item == "" || l.Quantity.IsZero() {
			return nil
		}
		sums[item] = sums[item].Plus(l.Quantity)
	}
	return sums
}
