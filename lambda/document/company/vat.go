package company

import "strings"

// scheme is the form of a country's VAT ids.
type scheme struct {
	formats string                   // after the country code; see fits
	check   func(digits string) bool // of an id in one of the formats
}

// schemes follow the structures published by the European Commission for VIES, and the
// countries' rules for check digits. If a country numbers natural persons differently from
// companies, the check covers both. A number of zeros is never valid, because programs write
// it for a missing id.
var schemes = map[string]scheme{
	"AT": {"U########", func(n string) bool { return modulo(6-luhn(n[1:8]), 10) == last(n) }},
	"BE": {"##########", func(n string) bool { return n[0] <= '1' && 97-number(n[:8])%97 == number(n[8:]) }},
	"BG": {"######### ##########", checkBG},
	"CH": {"E#########", func(n string) bool {
		return modulo(-weighted(n[1:], 5, 4, 3, 2, 7, 6, 5, 4), 11) == last(n)
	}},
	"CY": {"########@", checkCY},
	"CZ": {"######## ######### ##########", checkCZ},
	"DE": {"#########", func(n string) bool { return n[0] != '0' && mod11and10(n) }},
	"DK": {"########", func(n string) bool { return n[0] != '0' && weighted(n, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0 }},
	"EE": {"#########", func(n string) bool { return weighted(n, 3, 7, 1, 3, 7, 1, 3, 7, 1)%10 == 0 }},
	"EL": {"#########", func(n string) bool { return weighted(n, 256, 128, 64, 32, 16, 8, 4, 2)%11%10 == last(n) }},
	"ES": {"*#######*", checkES},
	"FI": {"########", func(n string) bool { return weighted(n, 7, 9, 10, 5, 8, 4, 2, 1)%11 == 0 }},
	"FR": {"**#########", checkFR},
	"GB": {"######### ############ GD### HA###", checkGB},
	"HR": {"###########", mod11and10},
	"HU": {"########", func(n string) bool { return weighted(n, 9, 7, 3, 1, 9, 7, 3, 1)%10 == 0 }},
	"IE": {"#######@ #######@@ #@#####@", checkIE}, // not the old ones with + or * in second place
	"IT": {"###########", checkIT},
	"LT": {"######### ############", checkLT},
	"LU": {"########", func(n string) bool { return number(n[:6])%89 == number(n[6:]) }},
	"LV": {"###########", checkLV},
	"MT": {"########", func(n string) bool { return n[0] != '0' && weighted(n, 3, 4, 6, 7, 8, 9, 10, 1)%37 == 0 }},
	"NL": {"#########B##", checkNL},
	"NO": {"#########", func(n string) bool { return weighted(n, 3, 2, 7, 6, 5, 4, 3, 2, 1)%11 == 0 }},
	"PL": {"##########", func(n string) bool { return weighted(n, 6, 5, 7, 2, 3, 4, 5, 6, 7, -1)%11 == 0 }},
	"PT": {"#########", func(n string) bool {
		return n[0] != '0' && modulo(-weighted(n, 9, 8, 7, 6, 5, 4, 3, 2), 11)%10 == last(n)
	}},
	"RO": {"## ### #### ##### ###### ####### ######## ######### ##########", checkRO},
	"SE": {"############", checkSE},
	"SI": {"########", checkSI},
	"SK": {"##########", func(n string) bool {
		return n[0] != '0' && strings.IndexByte("234789", n[2]) >= 0 && number(n)%11 == 0
	}},
	"XI": {"######### ############ GD### HA###", checkGB},
}

// VATID returns a VAT id in its plain form: "DE 136 695 976" is "DE136695976". Several
// spellings of a country become one: GR is EL, a Belgian id of nine digits gets its leading
// zero, and the register of Swiss and Norwegian ids (MWST, TVA, IVA, MVA) is dropped.
//
// To be valid, the id must have the format of its country and right check digits. An id
// without a known country code is in plain form and not valid. Note that a valid id may be
// unregistered.
func VATID(s string) (id string, valid bool) {
	id, whole := plain(s)
	id = oneSpelling(id)
	if len(id) < 4 {
		return id, false
	}
	known, ok := schemes[id[:2]]
	return id, whole && ok && known.valid(id[2:])
}

// OtherVATID reports whether two VAT ids in plain form differ by more than a misreading, so that they
// are of two companies or countries whatever their check digits. A fragment differs from none.
func OtherVATID(a, b string) bool {
	const misread = 3
	return min(len(a), len(b)) > misread && !Within(a, b, misread)
}

func (s scheme) valid(rest string) bool {
	for format := range strings.FieldsSeq(s.formats) {
		if fits(rest, format) {
			return strings.ContainsAny(rest, "123456789") && s.check(rest)
		}
	}
	return false
}

func oneSpelling(id string) string {
	switch {
	case fits(id, "GR#########"):
		return "EL" + id[2:]
	case fits(id, "BE#########"):
		return "BE0" + id[2:]
	case fits(id, "NO#########MVA"), fits(id, "CHE#########TVA"), fits(id, "CHE#########IVA"):
		return id[:len(id)-3]
	case fits(id, "CHE#########MWST"):
		return id[:len(id)-4]
	}
	return id
}
