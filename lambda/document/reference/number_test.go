package reference

import (
	"math"
	"testing"
)

func TestCanonicalSpellings(t *testing.T) {
	t.Parallel()
	for want, spellings := range map[string][]string{
		"RE202642": {"RE-2026-0042", "RE 2026/42", "re.2026.0042", "RE_2026_0042", "RE20260042", "ＲＥ－２０２６－００４２",
			"RE\u00ad-2026\u200b-0042", "RE\u00a02026–0042"},
		"2022374": {"2022/0374", "20220374", "2022374", "Rechnung 2022/0374", "Rechnungs-Nr. 2022/0374",
			"facture n° 2022/0374"},
		"2024620": {"PO-2024-00620", "PO202400620", "PO 2024 00620", "po-2024-620", "P.O. 2024-00620",
			"P.O. no. 2024/00620", "Order No. PO-2024-00620", "P0-2024-00620", "Best.-Nr. 2024-00620"},
		"4500010032": {"4500010032", "45.0001.0032", "4 500 010 032", "#4500010032", "0004500010032", "PO4500010032", "Bestell-Nr.: 4500010032", "BestellNr4500010032", "N° 4500010032", "n. 4500010032", "№ 4500010032", "nº 4500010032"},
		"DN9020":     {"DN0009020", "DN 9020", "dn-009020", "000DN9020", "PO-DN0009020"},
		"69130":      {"69130", "8est.-Nr. 69130"},
		"2200374B":   {"22/00374-B", "2200374b", "22.00374 B"},
		"12A":        {"12/A", "12-a", "Nr. 12/A"},
		"0":          {"0", "000"},
		"PO":         {"PO", "P.O."},
		"NOTE":       {"note"},
		"":           {"", " ", "-/.", "\u200b", "\xff\xfe"},
	} {
		for _, s := range spellings {
			if got := Canonical(s); got != want {
				t.Errorf("Canonical(%q) = %q, want %q", s, got, want)
			}
		}
	}
}

func TestCanonicalIsDistinct(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, s := range []string{
		"4500010002", "4500010020", "4500010200", "450001002", // zeros inside count
		"220374", "22374", "2000123", "200123", // a year of two digits is none
		"RV-2022-040", "SV-2022-040", "RE-2022-040", "PQ2022040", "POX2022040", // what a company puts in front counts
		"12/A", "12/B", "12",
	} {
		key := Canonical(s)
		if other, ok := seen[key]; ok {
			t.Errorf("Canonical(%q) = Canonical(%q) = %q", s, other, key)
		}
		seen[key] = s
	}
}

func TestLooseSurvivesMisreading(t *testing.T) {
	t.Parallel()
	for want, spellings := range map[string][]string{
		"4500010046": {"4500010046", "45O0010046", "4S00010046", "O4500010046", "PO-450001OO46", "45.O001.0046"},
		"212847":     {"212847", "2I2847", "2l2847", "Z12847", "21284-7", "2IZ847"},
		"223048":     {"22/00304-B", "22/00304-8", "22/304-B", "22/O0304 b", "2200304B"},
		"2023450":    {"PO-2023-00450", "P0-2023-0045O", "PO2O2300450"},
		"39932":      {"LS-039932", "LS-39932", "39932", "LS 03993Z"},
		"2278347":    {"BL 2278347", "POBL 2278347", "2278347"},
		"44188":      {"44188", "44188-R4", "44188 Rev. 2", "44188/V3", "44188-RI"},
		"5V202241":   {"SV-2022-041", "SV-2O22-041"},
		"":           {"", "12", "PO 12", "471", "R4", "---"},
	} {
		for _, s := range spellings {
			if got := Loose(s); got != want {
				t.Errorf("Loose(%q) = %q, want %q", s, got, want)
			}
		}
	}
}

func TestLooseIsDistinct(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"4500010032", "4500010302"}, {"RV-2022-040", "RV-2022-041"}, {"22/00304-A", "22/00304-B"},
		{"80013453", "80013459"}, {"F22-0142", "F23-0142"}, {"2002374", "202374"},
	} {
		if Loose(pair[0]) == Loose(pair[1]) {
			t.Errorf("Loose(%q) = Loose(%q) = %q", pair[0], pair[1], Loose(pair[0]))
		}
	}
}

func TestRevision(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ number, base, revision string }{
		{"44188-R4", "44188", "R4"},
		{"44188/r04", "44188", "R4"},
		{"599083 Rev. 2", "599083", "R2"},
		{"599083, Révision 2", "599083", "R2"},
		{"599083-REV02", "599083", "R2"},
		{"599083 rev-2", "599083", "R2"},
		{"A-100 / V3", "A-100", "V3"},
		{"4711 (Version 12)", "4711", "V12"},
		{"PO-2024-00620 ver. 3", "PO-2024-00620", "V3"},
		{" ４４１８８－R4 ", "44188", "R4"},
		// no revisions
		{"RE-2026-4", "RE-2026-4", ""},
		{"22/00374-B", "22/00374-B", ""},
		{"44188R4", "44188R4", ""},
		{"44188-R400", "44188-R400", ""},
		{"RV-2022-40", "RV-2022-40", ""},
		{"V-77", "V-77", ""},
		{"R4", "R4", ""},
		{"12-R4", "12-R4", ""},
		{"ABC-R4", "ABC-R4", ""},
		{"4711 R 4", "4711 R 4", ""},
		{"4711 Rev.", "4711 Rev.", ""},
		{"", "", ""},
	} {
		if base, revision := Revision(test.number); base != test.base || revision != test.revision {
			t.Errorf("Revision(%q) = %q, %q, want %q, %q", test.number, base, revision, test.base, test.revision)
		}
	}
}

func TestStrength(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]float64{
		"": 0, "7": 0.03, "12": 0.1, "PO 12": 0.1, "2026": 0.1, "1000": 0.1, "100": 0.05, "4711": 0.5, "1111": 0.37,
		"1234": 0.37, "12/A": 0.2,
		"313757": 0.9, "123456": 0.5, "4500000101": 1, "4500000000": 0.6, "RE-2026-0042": 1, "PO-2023-00450": 0.95,
		"22/00374-B": 1,
	} {
		if got := Strength(number); math.Abs(got-want) > 0.05 {
			t.Errorf("Strength(%q) = %.2f, want about %.2f", number, got, want)
		}
	}
}
