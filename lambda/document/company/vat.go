package company

import "strings"

// scheme is the form of a country's VAT ids.
type scheme struct {
	formats string                   // after the country code, see fits
	check   func(digits string) bool // of an id in one of the formats
}

// schemes follow the structures that the European Commission publishes for
// VIES, and the rules for check digits that the countries publish. Where a
// country numbers natural persons differently from companies, the check covers
// both. A number of zeros only is not an id in any country: programs write it
// where they have none.
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
// EL, a Belgian id of nine digits gets its leading zero, and the register of
// Swiss and Norwegian ids (MWST, TVA, IVA, MVA) is left out.
//
// The id is valid if it has the format of its country and right check digits.
// Without a country code, or with an unknown one, it is in plain form and not
// valid. A valid id need not be registered.
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
