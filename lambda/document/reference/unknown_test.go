package reference

import (
	"fmt"
	"strings"
	"testing"
)

func TestUnknown(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Abrufkennung 0037":                              "abrufkennung 0037",
		"Abruf-Nr. 0037":                                 "abruf 0037",
		"ABRUFKENNUNG: LK 0037, LK 0038":                 "abrufkennung LK 0037, abrufkennung LK 0038",
		"Lieferschein 0037":                              "",
		"Abrufkennung vom 3.4.2026, Nr. 0037":            "abrufkennung 0037",
		"Gemäß Angabe 0037. Ohne Angabe keine Lieferung": "",
		"am März 0037, 20 Stück 0037, EUR 0037, QX 0037": "",
		"Çalışma 0037":                                   "calışma 0037",
		"弊社 注文番号: 778812":                                "注文番号 778812",
		"Kennung 3.4.2026, Kennung 12,50 EUR":            "",
		"Kennung: ":                                      "",
		strings.Repeat("langes", 20) + " 0037":           "",
	} {
		var got []string
		for _, f := range Unknown(text) {
			got = append(got, f.Type+" "+f.Number)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// What Unknown finds behind a word, a label of that word finds.
func TestLabels(t *testing.T) {
	t.Parallel()
	labels := NewLabels([]string{"abruf", "注文番号", "!", "", "Zwei Worte"})
	for text, want := range map[string]string{
		"Ihr ABRUF Nr. 0041 und 0042, Lieferschein 17-3": "[{abruf 0041} {abruf 0042}]",
		"注文番号: 778812":                                   "[{注文番号 778812}]",
		"Abrufe 0041, Order 99":                          "[]",
	} {
		if got := fmt.Sprint(labels.Find(text)); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
