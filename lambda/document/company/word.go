package company

import (
	"strings"
	"sync"
)

type word struct {
	text   string  // as printed, in lower-case ASCII where possible
	fold   string  // written out if a known abbreviation; see fold
	rough  string  // the same; see rough
	weight float64 // its share in identifying the company
	weak   bool    // it doesn't identify a company alone
	dotted bool    // a dot follows: it may be an abbreviation
	digits int     // number of its digits
}

func newWord(s string, dotted bool) word {
	full := s
	if long, ok := abbreviations()[s]; ok {
		full = long
	}
	w := word{text: s, fold: fold(full), rough: rough(full), dotted: dotted, digits: digits(s)}
	part, known := share()[w.rough]
	if !known {
		part = 1
		if legalForms().exact[s] { // at the beginning, or in the middle
			part, known = shareGeneric, true
		}
	}
	w.weight = part * weights[min(len(full), len(weights)-1)]
	w.weak = known || dotted || len(s) < 3
	return w
}

// number reports whether the word has only digits.
func (w *word) number() bool { return w.digits == len(w.text) }

func digits(s string) (n int) {
	for i := range len(s) {
		if isDigit(s[i]) {
			n++
		}
	}
	return n
}

// weights of words, by length. Longer words are rarer; use length because the real rarity is
// unknown without a register of companies.
var weights = [...]float64{0, 0.15, 0.25, 0.5, 0.65, 0.8, 0.9, 1}

// Shares of their weight left to words of many company names.
const (
	shareGeneric = 0.2 // a word for a company, its size, for selling
	shareTrade   = 0.5 // its trade
)

const genericWords = `
	company concern deutschland dt europa europe firma fm global group gruppe handel handels handelsgesellschaft
	grosshandel holding holdings international of partner partners sales service services sohn soehne solution
	solutions sons television the trade trading tv worldwide`

const tradeWords = `
	agency associates brothers business center centre communications consulting corporation dienst dienstleistungen
	digital enterprise enterprises gebrueder gesellschaft industrie industries logistics logistik management
	manufacturing marketing media national network product production productions products produkte produktion radio
	station strategies system systeme systems team technik technologies technology verlag vertrieb vertriebs werk
	werke`

// share maps words of less than full weight to their share, in rough form to cover misread ones.
var share = sync.OnceValue(func() map[string]float64 {
	m := map[string]float64{}
	for w := range strings.FieldsSeq(tradeWords) {
		m[rough(w)] = shareTrade
	}
	for w := range strings.FieldsSeq(genericWords) {
		m[rough(w)] = shareGeneric
	}
	return m
})

// abbreviations are written in full before words are compared.
var abbreviations = pairs(`
	amer american  assn association  assoc associates  bros brothers  comm communications  ctr center
	dept department  dist distribution  distr distribution  div division  eng engineering  engr engineering
	equip equipment  ges gesellschaft  gebr gebrueder  govt government  grp group  hdl handel  hosp hospital
	ind industries  inst institute  instr instruments  int international  intl international  lab laboratory
	labs laboratories  mach machinery  mfg manufacturing  mfr manufacturer  mgmt management  mgt management
	mkt marketing  mktg marketing  natl national  pharm pharmaceuticals  prod products  prods products
	sci scientific  serv services  service services  soc society  str strasse  svc services  svcs services
	sys systems  tech technology  technol technology  telecom telecommunications  transp transport  univ university
	verl verlag  vertr vertrieb  whse warehouse`)

// pairs reads a list of words, each with another one after it, when it is first used.
func pairs(list string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		words := strings.Fields(list)
		for i := 0; i < len(words); i += 2 {
			m[words[i]] = words[i+1]
		}
		return m
	})
}

// fold returns a word with umlauts as their vowels, however spelled, and digits as the letters
// they are mistaken for.
func fold(s string) string { return same(s, folding.append(make([]byte, 0, 64), s)) }

// rough returns a folded word with letters mistaken for each other made the same, so that it
// survives misread characters.
func rough(s string) string { return same(s, roughening.append(make([]byte, 0, 64), s)) }

// same returns the bytes as a string, s itself if equal.
func same(s string, bytes []byte) string {
	if string(bytes) == s {
		return s
	}
	return string(bytes)
}

// folder replaces characters by the one chosen for its look-alikes. It doesn't use cl for d:
// since l is also 1 and i, and c is also e, too many words have one.
type folder struct {
	table [256]byte
	// The replacements of a, o, u and e, to recognise umlauts.
	a, o, u, e byte
}

var (
	folding    = newFolder("0o 1l il 5s 8b 6g")
	roughening = newFolder("0o 1l il 5s 8b 6g ao ec un qg")
)

func newFolder(list string) *folder {
	f := new(folder)
	for i := range f.table {
		f.table[i] = byte(i)
	}
	for pair := range strings.FieldsSeq(list) {
		f.table[pair[0]] = pair[1]
	}
	f.a, f.o, f.u, f.e = f.table['a'], f.table['o'], f.table['u'], f.table['e']
	return f
}

// append appends s, folded: character by character, rn as m, vv as w, and ae, oe, ue, aa as if
// they were ä, ö, ü, å without their marks. A number stays as it is.
func (f *folder) append(out []byte, s string) []byte {
	if digits(s) == len(s) {
		return append(out, s...)
	}
	before := byte(0)
	for i := range len(s) {
		c := f.table[s[i]]
		switch end := len(out) - 1; {
		case c == f.e && (before == f.a || before == f.o || before == f.u), c == f.a && before == f.a:
			c = 0 // the same vowel; what follows is another
		case c == f.table['n'] && before == 'r':
			out[end] = 'm'
		case c == 'v' && before == 'v':
			out[end] = 'w'
		default:
			out = append(out, c)
		}
		before = c
	}
	return out
}
