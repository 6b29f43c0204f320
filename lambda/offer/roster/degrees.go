package roster

import (
	"encoding/json"
	"strings"
)

// Degrees is an angle in units of 1/10,000 degree, 11 m on a meridian.
type Degrees int32

const (
	degree    = 10_000
	decimals  = "0000"
	maxDigits = 24 // of a written number
)

// UnmarshalJSON reads decimal degrees such as 52.5163, a number or a string. It uses no
// floating point, and cuts off decimals after the fourth.
func (d *Degrees) UnmarshalJSON(raw []byte) error {
	text := strings.Trim(string(raw), `"`)
	digits, negative := strings.CutPrefix(text, "-")
	whole, fraction, point := strings.Cut(digits, ".")
	if !isNumber(whole) || point && !isNumber(fraction) || len(text) > maxDigits {
		return &json.UnmarshalTypeError{Value: "text"}
	}
	n := 0
	for _, c := range whole + (fraction + decimals)[:len(decimals)] {
		n = min(10*n+int(c-'0'), 1000*degree)
	}
	if *d = Degrees(n); negative {
		*d = -*d
	}
	return nil
}

func isNumber(digits string) bool {
	return digits != "" && strings.Trim(digits, "0123456789") == ""
}
