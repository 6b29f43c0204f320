package company

import "strings"

// ibanLengths are the lengths of the IBAN registry (SWIFT, ISO 13616), of the whole IBAN.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BI": 27,
	"BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DJ": 27, "DK": 18, "DO": 28,
	"EE": 20, "EG": 29, "ES": 24, "FI": 18, "FK": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23,
	"GL": 18, "GR": 27, "GT": 28, "HN": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
	"IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20, "LU": 20, "LV": 21,
	"LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MN": 20, "MR": 27, "MT": 31, "MU": 30, "NI": 28,
	"NL": 18, "NO": 15, "OM": 23, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22,
	"RU": 33, "SA": 24, "SC": 31, "SD": 18, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "SO": 23, "ST": 25,
	"SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20, "YE": 30,
}

// IBAN returns a bank account in its plain form: "DE89 3704 0044 0532 0130 00" is
// "DE89370400440532013000", with or without the word IBAN before it. To be valid, it must have
// the length of its country and right check digits. For a country missing in the registry, any
// length of 15 to 34 characters will do.
func IBAN(s string) (id string, valid bool) {
	id, whole := plain(s)
	id = strings.TrimPrefix(id, "IBAN")
	return id, whole && validIBAN(id)
}

func validIBAN(id string) bool {
	if len(id) < 15 || len(id) > 34 || !fits(id, "@@##"+strings.Repeat("*", len(id)-4)) {
		return false
	}
	if n, ok := ibanLengths[id[:2]]; ok && n != len(id) {
		return false
	}
	// 00, 01 and 99 would pass for 97, 98 and 02.
	check := number(id[2:4])
	return 2 <= check && check <= 98 && mod97(id[4:]+id[:4]) == 1
}
