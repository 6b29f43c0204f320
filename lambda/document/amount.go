package document

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/shopspring/decimal"
)

// Amount is an exact decimal: money or a quantity. The zero Amount is absent, unlike 0; see
// IsZero.
type Amount struct {
	d   decimal.Decimal
	set bool
}

// Bounds of an amount, in digits before and after the point. Without them a text like
// 1e400000000 would be a valid decimal and fill the memory once written out.
const (
	maxWhole    = 18
	maxDecimals = 9
)

func isPlain(s string) bool {
	whole, decimals, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return isDigits(whole, maxWhole) && (!point || isDigits(decimals, maxDecimals))
}

func isDigits(s string, most int) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != "" && len(s) <= most
}

// ParseAmount reads a plain decimal of at most 18 digits before and 9 after the point. It must
// not have an exponent or thousands separators.
func ParseAmount(s string) (Amount, error) {
	if !isPlain(s) {
		return Amount{}, &fieldError{"invalid amount: expected a plain decimal of at most 18 digits"}
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return Amount{}, &fieldError{"invalid amount: expected a decimal number"}
	}
	return Amount{d, true}, nil
}

// MustAmount is ParseAmount for constants. It panics on errors.
func MustAmount(s string) Amount {
	a, err := ParseAmount(s)
	if err != nil {
		panic(err)
	}
	return a
}

// IsZero reports whether the amount is absent (for encoding/json's omitzero).
func (a Amount) IsZero() bool { return !a.set }

// Equal reports whether both are present and the same number: 5.0 equals 5.
func (a Amount) Equal(b Amount) bool { return a.set && b.set && a.d.Equal(b.d) }

// Plus returns the sum. An absent amount counts as 0, but two absent ones stay absent.
func (a Amount) Plus(b Amount) Amount { return Amount{a.d.Add(b.d), a.set || b.set} }

// Minus returns the difference. An absent amount counts as 0, but two absent ones stay absent.
func (a Amount) Minus(b Amount) Amount { return Amount{a.d.Sub(b.d), a.set || b.set} }

// Times returns the product, absent if either amount is.
func (a Amount) Times(b Amount) Amount { return Amount{a.d.Mul(b.d), a.set && b.set} }

// Per returns the quotient with nine decimals, absent if either amount is or if b is 0.
func (a Amount) Per(b Amount) Amount {
	if !a.set || b.d.IsZero() {
		return Amount{}
	}
	return Amount{a.d.DivRound(b.d, maxDecimals), true}
}

// Round returns the amount with at most so many decimals; absent if a is.
func (a Amount) Round(decimals int32) Amount { return Amount{a.d.Round(decimals), a.set} }

// AmountOf returns the decimal nearest to f, with nine decimals.
func AmountOf(f float64) Amount {
	return Amount{decimal.NewFromFloat(f).Round(maxDecimals), true}
}

// Cmp compares two amounts. An absent one counts as 0.
func (a Amount) Cmp(b Amount) int { return a.d.Cmp(b.d) }

// Negated returns the amount with the other sign; absent if a is.
func (a Amount) Negated() Amount { return Amount{a.d.Neg(), a.set} }

// Abs returns the amount without its sign; absent if a is.
func (a Amount) Abs() Amount { return Amount{a.d.Abs(), a.set} }

// Within reports whether both are present and differ by at most most.
func (a Amount) Within(most, b Amount) bool {
	return a.set && b.set && a.d.Sub(b.d).Abs().LessThanOrEqual(most.d)
}

// Sign returns -1, 0 or 1. It returns 0 for an absent amount too.
func (a Amount) Sign() int { return a.d.Sign() }

// Float returns the nearest float64, or 0 when absent. Use it only to compare sizes.
func (a Amount) Float() float64 { return a.d.InexactFloat64() }

// Canonical returns the shortest form, the same for equal numbers (5.50 is "5.5"), or "".
func (a Amount) Canonical() string {
	if !a.set {
		return ""
	}
	return a.d.String()
}

// Fixed returns the form with two decimals, for people. Absent is "".
func (a Amount) Fixed() string {
	if !a.set {
		return ""
	}
	return a.d.StringFixed(2)
}

// MarshalJSON writes a string, because structured data uses strings.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.Canonical()) }

// UnmarshalJSON reads a string or a JSON number; "" and null make the zero Amount.
func (a *Amount) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	switch quoted := len(raw) > 1 && raw[0] == '"'; {
	case quoted && bytes.IndexByte(raw, '\\') < 0: // most are
		text = text[1 : len(text)-1]
	case quoted:
		if err := json.Unmarshal(raw, &text); err != nil {
			return &fieldError{"invalid amount: expected a decimal number"}
		}
	}
	if text == "" || text == "null" {
		*a = Amount{}
		return nil
	}
	parsed, err := ParseAmount(text)
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}
