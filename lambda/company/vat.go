package company

import "strings"

// scheme is how a country forms its VAT ids.
type scheme struct {
	formats string                   // behind the country code, see fits
	check   func(digits string) bool // of what has one of the formats
}

// schemes follow the structures that the European Commission publishes for
// VIES, and the rules for check digits that the countries publish. Where a
// country numbers natural persons otherwise than companies, the check covers
// both. Nothing but zeros is a place holder everywhere.
var schemes = map[string]scheme{
	"AT": {"U########", checkAT},
	"BE": {"##########", checkBE},
	"BG": {"######### ##########", checkBG},
	"CH": {"E#########", checkCH},
	"CY": {"########@", checkCY},
	"CZ": {"######## ######### ##########", checkCZ},
	"DE": {"#########", checkDE},
	"DK": {"########", checkDK},
	"EE": {"#########", checkEE},
	"EL": {"#########", checkEL},
	"ES": {"*#######*", checkES},
	"FI": {"########", checkFI},
	"FR": {"**#########", checkFR},
	"GB": {"######### ############ GD### HA###", checkGB},
	"HR": {"###########", mod11and10},
	"HU": {"########", checkHU},
	"IE": {"#######@ #######@@ #@#####@", checkIE}, // not the old ones with + or * in second place
	"IT": {"###########", checkIT},
	"LT": {"######### ############", checkLT},
	"LU": {"########", checkLU},
	"LV": {"###########", checkLV},
	"MT": {"########", checkMT},
	"NL": {"#########B##", checkNL},
	"NO": {"#########", checkNO},
	"PL": {"##########", checkPL},
	"PT": {"#########", checkPT},
	"RO": {"## ### #### ##### ###### ####### ######## ######### ##########", checkRO},
	"SE": {"############", checkSE},
	"SI": {"########", checkSI},
	"SK": {"##########", checkSK},
	"XI": {"######### ############ GD### HA###", checkGB},
}

// VATID brings a VAT id into its plain form: "DE 136 695 976" is
// "DE136695976". Where a country has several spellings they become one: GR is
// EL, a Belgian id of nine digits gets its leading zero, and what Swiss and
// Norwegian ids say about the register (MWST, TVA, IVA, MVA) is left out.
//
// valid: the id has the format of its country, and its check digits are
// right. Without a country code, or with one that is unknown, it is in plain
// form and not valid. Whether anybody has the id is not known here.
func VATID(s string) (id string, valid bool) {
	id, whole := plain(s)
	id = oneSpelling(id)
	if len(id) < 4 {
		return id, false
	}
	known, ok := schemes[id[:2]]
	return id, whole && ok && known.valid(id[2:])
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
