package company_test

import (
	"strings"
	"testing"

	"matchbook/lambda/document/company"
)

func TestIBAN(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		printed, want string
		valid         bool
	}{
		// The examples of the IBAN registry.
		{"AT61 1904 3002 3457 3201", "AT611904300234573201", true},
		{"CH93 0076 2011 6238 5295 7", "CH9300762011623852957", true},
		{"IBAN: de89 3704 0044 0532 0130 00", "DE89370400440532013000", true},
		{"ES91 2100 0418 4502 0005 1332", "ES9121000418450200051332", true},
		{"FR14 2004 1010 0505 0001 3M02 606", "FR1420041010050500013M02606", true},
		{"GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926819", true},
		{"IT60 X054 2811 1010 0000 0123 456", "IT60X0542811101000000123456", true},
		{"MT84 MALT 0110 0001 2345 MTLC AST0 01S", "MT84MALT011000012345MTLCAST001S", true},
		{"NL91\u00a0ABNA\u00a00417\u00a01643\u00a000", "NL91ABNA0417164300", true},
		{"NO93 8601 1117 947", "NO9386011117947", true},
		{"XX46 3704 0044 0532 0130 00", "XX46370400440532013000", true}, // no such country
		{"XX89 3704 0044 0532 0130 00", "XX89370400440532013000", false},
		{"DE89 3704 0044 0532 0130 01", "DE89370400440532013001", false}, // a digit misread
		{"DE89 3704 0044 0523 0130 00", "DE89370400440523013000", false}, // two swapped
		{"DE51 3704 0044 0532 0130 0", "DE5137040044053201300", false},   // a digit short
		{"DE00 0000 0000 0000 0000 00", "DE00000000000000000000", false},
		{"NL91 ÄBNA 0417 1643 00", "NL91ÄBNA0417164300", false},
		{"DE89370400440532013000" + strings.Repeat("-", 50), "DE89370400440532013000", false}, // too long to have been read
		{"37040044", "37040044", false},
		{"", "", false},
		{strings.Repeat("1", 100), strings.Repeat("1", 64), false},
	} {
		if got, valid := company.IBAN(c.printed); got != c.want || valid != c.valid {
			t.Errorf("IBAN(%q) = %q, %v; want %q, %v", c.printed, got, valid, c.want, c.valid)
		}
	}
}

// 97 for 00, 98 for 01 and 02 for 99 have the same remainder; only they are given.
func TestIBANCheckDigitRange(t *testing.T) {
	t.Parallel()
	found := 0
	for n := range 1000 {
		account := "1" + strings.Repeat("0",
			14) + string([]byte{'0' + byte(n/100), '0' + byte(n/10%10), '0' + byte(n%10)})
		for _, pair := range [][2]string{{"97", "00"}, {"98", "01"}, {"02", "99"}} {
			if _, valid := company.IBAN("DE" + pair[0] + account); valid {
				found++
				if _, valid := company.IBAN("DE" + pair[1] + account); valid {
					t.Errorf("DE%s%s is valid", pair[1], account)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no account has these check digits")
	}
}
