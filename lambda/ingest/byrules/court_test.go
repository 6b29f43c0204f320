package byrules

import "testing"

// AG is a court of registration in front of a register's number, and otherwise a legal form.
func TestCourtIsNoCompany(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Sitz Oelde, AG Münster HRA 8817":         "",
		"Kran Nord GmbH, AG Bad Lind HRB 17":      "Kran Nord GmbH",
		"Weser Spedition AG, AG Bremen HRB 17":    "Weser Spedition AG",
		"Weser Spedition AG · Am Kai 9 · HRB 177": "Weser Spedition AG",
	} {
		if got, ok := nameIn(text); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v, want %q", text, got, ok, want)
		}
	}
}
