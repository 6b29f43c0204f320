package quote

import (
	"strings"
	"testing"
)

// Each row has a sentence around a quote, in brackets, in two prints.
func TestSameClause(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		a, b string
		same bool
	}{
		"part of the sentence": {"Fees. [Vendor may raise fees] at will. End.", "Fees. Vendor may [raise fees at will.] End.", true},
		"moved and numbered":   {"4.2 [Vendor may raise] fees.\n\nNext.", "Before.\n\n12. Vendor may [raise fees.]", true},
		"line ends":            {"A.\n\n[Vendor may ter-\nminate at\nany time].", "A. Vendor may [terminate at any time].", true},
		"typography":           {"the “[Vendor’s] Tools” stay – always", "The \"[Vendor's Tools]\" stay -- always", true},
		"paragraph sign":       {"§ 7 [Der Mieter zahlt].", "§ 9 [Der Mieter zahlt].", true},
		"another number":       {"[30 Tage] Frist gelten.", "[60 Tage] Frist gelten.", false},
		"another rate":         {"\n1.5 percent [is due].", "\n2.5 percent [is due].", false},
		"another date":         {"Am 30. Juni [endet der Vertrag].", "Am 15. Juni [endet der Vertrag].", false},
		"another currency":     {"The cap is [€ 500].", "The cap is [$ 500].", false},
		"another decimal":      {"Interest of [1.5 %].", "Interest of [15 %].", false},
		"short quote":          {"Notice takes [thirty days].", "Payment takes [thirty days].", false},
		"a negation":           {"Vendor may [raise fees].", "Vendor may not [raise fees].", false},
		"list items":           {"(a) for cause; (b) [at will; or]", "(a) for breach; (b) [at will; or]", true},
	} {
		if clause(tc.a) == clause(tc.b) != tc.same {
			t.Errorf("%s: %q and %q", name, clause(tc.a), clause(tc.b))
		}
	}
	long := strings.Repeat("ä", 5_000)
	if got := Clause(long, 4_000, 4_002); len(got) > 2*mostAround+4 || strings.ContainsRune(got, '\ufffd') {
		t.Errorf("%d bytes around a quote: %q", len(got), got)
	}
}

func clause(marked string) string {
	start, end := strings.Index(marked, "["), strings.Index(marked, "]")-1
	return Clause(strings.NewReplacer("[", "", "]", "").Replace(marked), start, end)
}
