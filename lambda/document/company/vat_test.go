package company_test

import (
	"strings"
	"testing"

	"matchbook/lambda/document/company"
)

// Published examples; misread has one digit or letter changed.
func TestVATCheckDigits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, misread string }{
		{"ATU13585627", "ATU13585621"},
		{"BE0428759497", "BE0428159497"},
		{"BG175074752", "BG175014752"},
		{"BG7111042925", "BG7111042926"}, // foreigner
		{"BG7523169263", "BG7523169268"}, // person
		{"CHE100155212", "CHE100155213"},
		{"CY10259033P", "CY10259033B"},
		{"CZ25123891", "CZ26123891"},
		{"CZ640903926", "CZ640903925"},   // person without birth number
		{"CZ7103192745", "CZ7103192746"}, // birth number
		{"CZ395601439", "CZ399901439"},   // one of before 1954
		{"DE136695976", "DE136695916"},
		{"DK13585628", "DK13585828"},
		{"EE100931558", "EE100931558"[:10] + "9"},
		{"EL094259216", "EL094250216"},
		{"ESA13585625", "ESA13585626"},
		{"ES54362315K", "ES54362316K"}, // person
		{"ESM1234567L", "ESM1234567I"},
		{"ESX2482300W", "ESX2482380W"}, // foreigner
		{"FI20774740", "FI20774140"},
		{"FR40303265045", "FR40303285045"},
		{"FR4Z123456782", "FR42123456782"},
		{"FRK7399859412", "FRK1399859412"},
		{"GB980780684", "GB980180684"},
		{"GBGD001", "GBGD501"},
		{"GBHA500", "GBHA400"},
		{"HR33392005961", "HR33392005981"},
		{"HU12892312", "HU12892372"},
		{"IE6433435F", "IE6433436F"},
		{"IE6433435OA", "IE6433435QA"},
		{"IE8D79739I", "IE8D79139I"},
		{"IT00743110157", "IT00743170157"},
		{"LT100001919017", "LT100001979017"},
		{"LT119511515", "LT119511516"},
		{"LU15027442", "LU15021442"},
		{"LV16117519997", "LV16117579997"}, // person
		{"LV40003521600", "LV40003521800"},
		{"MT11679112", "MT11619112"},
		{"NL002455799B11", "NL002455799B17"}, // mod 97
		{"NL004495445B01", "NL004495445B01"[:10] + "6B01"},
		{"NO995525828", "NO995525888"},
		{"PL8567346215", "PL8561346215"},
		{"PT501964843", "PT507964843"},
		{"RO18547290", "RO18541290"},
		{"RO361927", "RO361921"},
		{"SE556188840401", "SE556188840407"[:8] + "640401"},
		{"SI50223054", "SI50223064"},
		{"SK2022749619", "SK2022149619"},
		{"XI110305878", "XI170305878"},
	} {
		if got, valid := company.VATID(c.id); got != c.id || !valid {
			t.Errorf("VATID(%q) = %q, %v; want it as it is, valid", c.id, got, valid)
		}
		if got, valid := company.VATID(c.misread); got != c.misread || valid {
			t.Errorf("VATID(%q) = %q, %v; want it as it is, not valid", c.misread, got, valid)
		}
	}
}

func TestVATIDInPlainForm(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		printed, want string
		valid         bool
	}{
		{" de 136 695 976\n", "DE136695976", true},
		{"DE\u00a0136.695-976", "DE136695976", true},
		{"ＤＥ１３６６９５９７６", "DE136695976", true},
		{"CHE-100.155.212 MWST", "CHE100155212", true},
		{"CHE-100.155.212 TVA", "CHE100155212", true},
		{"CHE-100.155.212 IVA", "CHE100155212", true},
		{"NO 995 525 828 MVA", "NO995525828", true},
		{"GR 094259216", "EL094259216", true},
		{"BE 428.759.497", "BE0428759497", true},
		{"136695976", "136695976", false}, // no country
		{"U13585627", "U13585627", false}, // no country
		{"QQ136695976", "QQ136695976", false},
		{"DE13669597", "DE13669597", false}, // too short
		{"DE1366959765", "DE1366959765", false},
		{"DE13669597O", "DE13669597O", false},
		{"FI00000000", "FI00000000", false},
		{"NL004495445B00", "NL004495445B00", false},
		{"CZ95123890", "CZ95123890", false}, // 9 begins no company's
		{"DE", "DE", false},
		{"", "", false},
		{" - ", "", false},
		{"\xff\x00", "", false},
		{"DE136695976" + strings.Repeat(" .", 40), "DE136695976", false}, // too long to have been read
		{"DE136695976" + strings.Repeat(" ", 100), "DE136695976", true},
	} {
		if got, valid := company.VATID(c.printed); got != c.want || valid != c.valid {
			t.Errorf("VATID(%q) = %q, %v; want %q, %v", c.printed, got, valid, c.want, c.valid)
		}
	}
}

func FuzzVATID(f *testing.F) {
	for _, seed := range []string{"DE 136 695 976", "CHE-100.155.212 MWST", "NO995525828MVA", "NL002455799B11",
		"GR094259216", "BE428759497",
		"ＦＲ４０ 303 265 045", "IE6433435OA", "XIGD001", "NOMVAMVA", "\xff", "ŉÅ가", "BE\u0301", "\u1100-\u1161"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, valid := company.VATID(s)
		if again, validAgain := company.VATID(id); again != id || valid && !validAgain {
			t.Errorf("VATID(%q) = %q, %v, and of that %q, %v", s, id, valid, again, validAgain)
		}
		if valid && len(id) < 4 {
			t.Errorf("VATID(%q) = %q is valid", s, id)
		}
	})
}

func TestOtherVATID(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"SE556112233401", "SE556445566701", true},
		{"SE556112233401", "SE556112238401", false},
		{"DE136695970", "DE136995079", false}, // three digits
		{"DE136695970", "DE136908079", true},
		{"DE136695970", "ATU49838010", true},
		{"SE556112233401", "SE5", false},
		{"SE556112233401", "", false},
	} {
		if got := company.OtherVATID(tc.a, tc.b); got != tc.want || company.OtherVATID(tc.b, tc.a) != tc.want {
			t.Errorf("%s and %s: got %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
}
