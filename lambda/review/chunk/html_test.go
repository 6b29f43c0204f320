package chunk

import (
	"strings"
	"testing"
	"unicode/utf16"

	"matchbook/lambda/internal/must"
)

func TestPages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ page, want string }{
		"paragraphs": {"<html><body><p>The fee\n is <b>due</b>.</p><p>It is paid.<br>Late.</p></body></html>", "The fee is due.\n\nIt is paid.\nLate."},
		"headings": {"<!DOCTYPE html><h1>LEASE</h1><h2>1. Term</h2><div>One year.</div><div>No more.</div>",
			"# LEASE\n\n## 1. Term\n\nOne year.\nNo more."},
		"numbers":           {"<html><ol start=4><li>Term<li value=7><p>Fees</p><li>Law</ol>", "4. Term\n7. Fees\n\n8. Law"},
		"letters in items":  {"<html><ol><li>Duties:<ol type=a><li>audit<li>repair</ol><li>Law</ol>", "1. Duties:\n(a) audit\n(b) repair\n2. Law"},
		"Roman numbers":     {"<html><ol type=i><li>a<li>b<li>c<li>d</ol><ol type=I start=9><li>e</ol>", "(i) a\n(ii) b\n(iii) c\n(iv) d\n\nIX. e"},
		"counting down":     {"<html><ol reversed start=2><li>a<li>b</ol>", "2. a\n1. b"},
		"bullets":           {"<html><ul><li>audit</li><li>repair</li></ul>", "- audit\n- repair"},
		"tables":            {"<html><table><tr><th>Fee</th><th>EUR</th></tr><tr><td>Berth</td><td> 900 </td></tr></table>", "Fee  EUR\nBerth  900"},
		"tables for layout": {"<html><table><tr><td>(a)</td><td><p>The fee.</p><p>It is due.</p></td></tr></table>", "(a)  The fee.\n\nIt is due."},
		"numbers in cells": {"<html><table><tr><td><p>(a)</p></td><td><p>The fee.</p></td></tr><tr><td>(b)</td><td>Law</td></tr></table>",
			"(a)  The fee.\n\n(b)  Law"},
		"hidden": {`<html><head><title>T</title><style>p{}</style></head><script>alert(1)</script><p style="color:red;display: none">x</p>` +
			`<p hidden>y</p><div style="visibility:hidden">z</div><p>shown<!-- not --></p><template>q</template>`, "shown"},
		"struck":     {"<html><p>The fee is <del>500</del> 900.</p>", "The fee is [struck: 500] 900."},
		"kept text":  {"<html><pre>a  b\n  c</pre>", "a  b\n  c"},
		"entities":   {"<html><p>A &amp; B&nbsp;pay &euro;5 &lt; &#167; 4</p>", "A & B pay €5 < § 4"},
		"with a map": {"<?xml version='1.0'?>\n<!-- saved -->\n<html xmlns='http://www.w3.org/1999/xhtml'><body>Law</body></html>", "Law"},
		"by charset": {"<html><meta charset=iso-8859-2><p>\xb3\xf3d\xbc</p>", "łódź"},
		"a piece":    {"The <html> tag is text here.", "The <html> tag is text here."},
	} {
		got, err := Clean([]byte(c.page))
		if strings.TrimSpace(got) != c.want || err != nil {
			t.Errorf("%s: got %q, %v\nwant %q", name, got, err, c.want)
		}
	}
	deep := "<html>" + strings.Repeat("<div><b>", 20_000) + "end"
	if _, err := Clean([]byte(deep)); err == nil {
		t.Error("a page of 40,000 open elements is read")
	}
}

func TestWideText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"The fee is EUR 900.\nIt is due.", "Срок действия договора 12 месяцев.", "本契約は日本法に準拠する。 第 1 条"} {
		for _, mark := range []bool{true, false} {
			for _, little := range []bool{true, false} {
				if got := must.Get(Clean(wide(text, mark, little)))(t); got != text {
					t.Errorf("mark %v, little %v: got %q, want %q", mark, little, got, text)
				}
			}
		}
	}
	if got := must.Get(Clean(wide("<html><p>Law</p>", false, true)))(t); got != "Law" {
		t.Errorf("got %q", got)
	}
}

func wide(text string, mark, little bool) (raw []byte) {
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	for _, u := range units {
		if little {
			raw = append(raw, byte(u), byte(u>>8))
		} else {
			raw = append(raw, byte(u>>8), byte(u))
		}
	}
	return raw
}
