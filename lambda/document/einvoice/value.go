package einvoice

import (
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/lazy"
)

var decimalForm = lazy.Regexp(`^([+-]?)0*(\d*)(?:\.(\d*?)0*)?$`)

// decimal reads a decimal of XML Schema, exactly. It may lack digits on one side of the point,
// and have a plus sign and needless zeros.
func decimal(s string) (document.Amount, bool) {
	m := decimalForm().FindStringSubmatch(s)
	if m == nil || !strings.ContainsAny(s, "0123456789") {
		return document.Amount{}, false
	}
	plain := strings.TrimPrefix(m[1], "+") + "0" + m[2]
	if len(m[2]) > 0 {
		plain = strings.TrimPrefix(m[1], "+") + m[2]
	}
	if m[3] != "" {
		plain += "." + m[3]
	}
	a, err := document.ParseAmount(plain)
	return a, err == nil
}

// dateForms are the formats of UNTDID 2379 beginning with a whole date, and the lengths of
// their values: CCYYMMDD, with minutes, seconds, minutes and zone.
var dateForms = map[string]int{"102": 8, "203": 12, "204": 14, "205": 17}

// date reads a date of XML Schema, with or without a time or a zone, or one with a format
// code. A zone doesn't move the date, because the sender wrote that date.
func date(s, format string) (document.Date, bool) {
	layout := time.DateOnly
	switch {
	case len(s) >= 10 && s[4] == '-' && (len(s) == 10 || strings.ContainsRune("TZ+-", rune(s[10]))):
		s = s[:10]
	case format == "" && len(s) == 8, dateForms[format] > 0 && dateForms[format] == len(s):
		layout, s = "20060102", s[:8]
	}
	t, err := time.Parse(layout, s)
	if err != nil || t.IsZero() {
		return document.Date{}, false
	}
	return document.DateOf(t), true
}

var currencyForm = lazy.Regexp(`^[A-Z]{3}$`)

// ibanForm is the form of an IBAN. The caller must check its check digits.
var ibanForm = lazy.Regexp(`^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$`)

func isIBAN(s string) bool { return ibanForm().MatchString(strings.ReplaceAll(s, " ", "")) }
