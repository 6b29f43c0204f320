package score

import (
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/internal/must"
)

// hostile is structured data of as much as is read, each number and article
// another one.
func hostile(t testing.TB, typ document.Type, from int) Raw {
	t.Helper()
	var list, cited []string
	for i := range document.MaxLines {
		list = append(list, fmt.Sprintf(`{"sku":"%x","description":"w%x PO %d, %d","quantity":"2"}`, from+i, from+i, from+2*i+1000, from+2*i+1001))
	}
	for i := range document.MaxReferences {
		cited = append(cited, fmt.Sprintf(`{"type":"t%d","number":"%d"}`, from+i, from+i))
	}
	rest := `"line_items":[` + strings.Join(list, ",") + `],"references":[` + strings.Join(cited, ",") + `]`
	var notes strings.Builder
	for i := 0; notes.Len() < document.MaxBytes-len(rest)-200; i++ {
		fmt.Fprintf(&notes, "orders %d, %d ", from+i, from+i+1)
	}
	r := raw(typ, object(vat, `"number":"7"`, rest, `"notes":"`+notes.String()+`"`))
	if n := len(r.Data); n > document.MaxBytes || n < document.MaxBytes*9/10 {
		t.Fatalf("%d bytes are not the worst", n)
	}
	return r
}

// crowded is structured data of as many citations as texts can hold.
func crowded(t testing.TB, typ document.Type, from int) Raw {
	t.Helper()
	var list []string
	for i := range 200 {
		var numbers []string
		for j := range 60 {
			numbers = append(numbers, fmt.Sprint(10000+(from+60*i+j)%80000))
		}
		list = append(list, fmt.Sprintf(`{"sku":"A","description":"our ref. nos. %s"}`, strings.Join(numbers, ", ")))
	}
	return raw(typ, object(vat, `"line_items":[`+strings.Join(list, ",")+`]`))
}

// TestHostileInputIsBounded counts what the work grows with: a pair
// compares each citation with each, and each key is looked up.
func TestHostileInputIsBounded(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(testing.TB, document.Type, int) Raw{"large": hostile, "crowded": crowded} {
		a, b := parsed(t, po, of(t, po, 1_000_000).Data), parsed(t, inv, of(t, inv, 3_040_000).Data)
		for _, d := range []Document{a, b} {
			keys, lookup := d.keys()
			if n := len(d.cites); n != document.MaxReferences+100 {
				t.Errorf("%s: %d citations, want as many as are kept", name, n)
			}
			if len(keys) > 7_500 || len(lookup) > 7_500 {
				t.Errorf("%s: found by %d keys, looks up %d", name, len(keys), len(lookup))
			}
		}
		if p := scoredBothWays(t, a, b); p.Veto != "" || len(p.Evidence) > 8 {
			t.Errorf("%s: got %+v", name, p)
		}
	}
}

// TestMentionsAreBounded: a note of a megabyte of numbers, which no label
// announces.
func TestMentionsAreBounded(t *testing.T) {
	t.Parallel()
	var notes strings.Builder
	for i := 0; notes.Len() < document.MaxBytes-1000; i++ {
		fmt.Fprintf(&notes, "%d; ", 200_001+i)
	}
	d := parsed(t, inv, object(vat, `"notes":"`+notes.String()+`"`))
	if n := len(d.mentions); n != 64 {
		t.Errorf("%d mentions, want 64", n)
	}
	if keys, _ := d.keys(); len(keys) > 200 {
		t.Errorf("%d keys", len(keys))
	}
}

// TestWordAlignmentIsBounded: each is compared with each.
func TestWordAlignmentIsBounded(t *testing.T) {
	t.Parallel()
	var names, numbers []string
	for i := range 60 {
		names, numbers = append(names, fmt.Sprintf("w%d", i)), append(numbers, fmt.Sprintf("A%d 1", i))
	}
	for want, list := range map[float64]string{50: described("1", names...), 60: lines(numbers...)} {
		p := scoredBothWays(t, parsed(t, po, object(vat, list)), parsed(t, inv, object(vat, list)))
		if p.Fit != (Fit{60, 60, want}) {
			t.Errorf("got %+v, want %v in common", p.Fit, want)
		}
	}
}

func BenchmarkScoreHostile(b *testing.B) {
	for name, of := range map[string]func(testing.TB, document.Type, int) Raw{"large": hostile, "crowded": crowded} {
		b.Run(name, func(b *testing.B) { benchmarkPair(b, of(b, po, 1_000_000), of(b, inv, 3_040_000)) })
	}
}

func BenchmarkScore(b *testing.B) {
	rest := []string{`"supplier":{"name":"Hofmann Werkzeugbau GmbH","vat_id":"DE136695976"}`, ulm, `"currency":"EUR"`, `"total":"1184.37"`,
		lines("A-1001 5 20.50", "A-1002 10 49.00", "A-1003 2 7.25", "A-1004 40 0.99", "A-1005 1 510.00")}
	order := raw(po, object(append(rest, `"number":"4500010046","date":"2026-01-05"`)...))
	invoice := raw(inv, object(append(rest, `"number":"RE-2026-0042","date":"2026-01-20"`, refs(po, "4500010046"), `"notes":"Ihre Bestellung Nr. 4500010046 vom 5.1.2026"`)...))
	benchmarkPair(b, order, invoice)
}

// benchmarkPair measures what a candidate costs: it is read and compared.
func benchmarkPair(b *testing.B, x, y Raw) {
	d := parsed(b, x.Type, x.Data)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			must.Get(Read(y))(b)
		}
	})
	other := parsed(b, y.Type, y.Data)
	b.Run("score", func(b *testing.B) {
		for b.Loop() {
			d.Score(other)
		}
	})
}
