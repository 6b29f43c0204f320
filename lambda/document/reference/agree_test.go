package reference

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestAgrees(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		cited, own string
		want       Agreement
	}{
		// with more
		{"4500010046", "4500010046", Same},
		{"Best.-Nr. 4500010046", "4500010046", Same},
		{"注文番号: 4500010046", "4500010046", Same},
		{"rif. 4500010046", "4500010046", Same},
		{"4500010046/10", "4500010046", Same},
		{"4500010046-00010", "4500010046", Same},
		{"4500010046 Pos. 10", "4500010046", Same},
		{"4500010046 (1)", "4500010046", Same},
		{"4500010046 bis", "4500010046", Same},
		{"4500010046/HUB", "4500010046", Same},
		{"4500010046 / Tanaka", "4500010046", Same},
		{"4500010046 v. 03.03.26", "4500010046", Same},
		{"4500010046 vom 3.3.2026", "4500010046", Same},
		{"1000-4500010046", "4500010046", Same},
		{"4500010046, 4500010047", "4500010046", Same},
		{"4500010046 4500010047", "4500010047", Same},
		{"4500010046 + 4500010047 + 4500010048", "4500010047", Same},
		{"1302-PO-090 Rev. 1", "1302-PO-090", Same},
		{"1207-PO-085/24", "1207-PO-085", Same},
		{"24.10495 (2024)", "24.10495", Same},
		{"23.10379-001", "23.10379", Same},
		{"PED/2024/02396/10", "PED/2024/02396", Same},
		{"BC-0296-001", "BC-0296", Same},
		// spelled otherwise
		{"PO 42/2026", "PO-0042/26", Same},
		{"Order 42/26", "PO-0042/26", Same},
		{"0374-26", "2026/0374", Same},
		{"OC-778812", "778812", Same},
		{"39932", "LS-039932", Same},
		{"PO 018 828", "PO-018828", Same},
		{"PO_018936", "PO-018936", Same},
		{"202402426", "PED/2024/02426", Same},
		{"2402426", "PED/2024/02426", Same},
		// with less
		{"42", "PO-0042/26", Part},
		{"017455", "4500017455", Part},
		{"17455", "4500017455", Part},
		{"02426", "PED/2024/02426", Part},
		{"10366", "23.10366", Part},
		{"PO-064", "1207-PO-064", Part},
		{"4500010000 - 4500010099", "4500010046", Part},
		// misread
		{"45O0010046", "4500010046", Misread},
		{"45O0010046/10", "4500010046", Misread},
		{"8L 2310169", "BL 2310169", Same},
		// one digit
		{"4500010064", "4500010046", Nearly},
		{"450010046", "4500010046", Nearly},
		{"45000100046", "4500010046", Nearly},
		{"LS-88132", "LS-88123", Nearly},
		{"4500010047", "4500010046", OneOff},
		{"RO-PK35991", "RO-PK34991", OneOff},
		{"24.10495", "23.10495", OneOff},
		// another
		{"4500010981", "4500010046", Series},
		{"RO-PK31762", "RO-PK34991", Series},
		{"1207-PO-068", "1207-PO-079", Series},
		{"23.10379-002", "23.10379-001", OneOff},
		{"42/2025", "PO-0042/26", Different},
		{"43", "PO-0042/26", Different},
		{"4600020077", "4500010046", Different},
		{"4500010046", "10", Different},
		{"4500010046/10", "10", Different},
		{"1207-PO-064", "64", Different},
		{"12 345", "345", Different},
		{"2026", "2026/0374", Different},
		{"2026/0374", "2026", Different},
		{"LS-1001", "RE-1001", Misread},
		{"A-100", "B-100", Different},
		{"4500010046, 4500010099", "4500010050", Series},
		{"46", "4500010046", Different},
		{"", "4500010046", Different},
		{"4500010046", "", Different},
		{"", "", Different},
	} {
		if got, _ := Read(tc.cited).Agrees(Read(tc.own)); got != tc.want {
			t.Errorf("%q with %q: got %v, want %v", tc.cited, tc.own, got, tc.want)
		}
	}
}

func TestStrengthOfAgreeingDigits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		cited, own string
		want       float64
	}{
		{"4500010046/10", "4500010046", 1},
		{"42", "PO-0042/26", 0.1},
		{"017455", "4500017455", 0.7},
		{"PO 42/2026", "PO-0042/26", 0.5},
		{"537", "537", 0.3},
	} {
		if _, got := Read(tc.cited).Agrees(Read(tc.own)); got < tc.want-0.05 || got > tc.want+0.05 {
			t.Errorf("%q with %q: got %v, want %v", tc.cited, tc.own, got, tc.want)
		}
	}
}

// TestAgreeingNumbersShareKey: so a document finds what it cites.
func TestAgreeingNumbersShareKey(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(17, 0))
	parts := []string{"4500010046", "0042", "42", "26", "2026", "PO", "LS", "45O0010046", "10046", "1207", "064", "10", "B"}
	joints := []string{"-", "/", " ", ", ", "", ".", " - "}
	number := func() string {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			b.WriteString(parts[r.IntN(len(parts))] + joints[r.IntN(len(joints))])
		}
		return b.String()
	}
	agreed := 0
	for range 5_000 {
		x, y := number(), number()
		a, strength := Read(x).Agrees(Read(y))
		if a < Misread || strength < 0.5 {
			continue
		}
		agreed++
		common := slices.ContainsFunc(Read(x).Keys(), func(k string) bool { return slices.Contains(Read(y).Keys(), k) })
		if !common {
			t.Errorf("%q agrees with %q (%v), but they have the keys %q and %q", x, y, a, Read(x).Keys(), Read(y).Keys())
		}
	}
	if agreed < 80 {
		t.Errorf("only %d pairs agree", agreed)
	}
}

func TestLongNumbersAreBounded(t *testing.T) {
	t.Parallel()
	long := Read(strings.Repeat("4711-", 1<<18))
	if len(long.runs) > mostRuns || len(long.Keys()) > mostForms {
		t.Errorf("%d runs, %d keys", len(long.runs), len(long.Keys()))
	}
	if a, _ := long.Agrees(Read("4712")); a >= Misread {
		t.Errorf("got %v", a)
	}
}

func BenchmarkAgrees(b *testing.B) {
	x, y := Read("PO-2024-00620"), Read("4500010046")
	for b.Loop() {
		x.Agrees(y)
	}
}

func BenchmarkRead(b *testing.B) {
	for b.Loop() {
		Read("PO-2024-00620")
	}
}
