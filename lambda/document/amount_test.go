package document

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAmountIsPlainDecimal(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"12.50"`: "12.5", `"-0.000000001"`: "-0.000000001", `12.5`: "12.5", `"1\u0030"`: "10", `""`: "", `null`: "",
		`"` + strings.Repeat("9", 18) + `"`: strings.Repeat("9", 18),
		`"` + strings.Repeat("9", 19) + `"`: "refused", `"0.0000000001"`: "refused", `"1e9"`: "refused", `1e9`: "refused",
		`"1."`: "refused", `".5"`: "refused", `"+1"`: "refused", `"--1"`: "refused", `"-"`: "refused", `"1.2.3"`: "refused",
		`"1,5"`: "refused", `"1\n"`: "refused", `" 1"`: "refused", `"١"`: "refused", `{}`: "refused",
	} {
		var a Amount
		err := json.Unmarshal([]byte(text), &a)
		if got := a.Canonical(); err == nil && got != want || (err != nil) != (want == "refused") {
			t.Errorf("%s: got %q, %v, want %q", text, got, err, want)
		}
	}
}
