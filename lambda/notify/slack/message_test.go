package slack

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/notify"
	"matchbook/lambda/notify/notifytest"
)

func TestBlocks(t *testing.T) {
	t.Parallel()
	for name, m := range notifytest.Messages() {
		var b bytes.Buffer
		must.OK(t, json.Indent(&b, render(m), "", "  "))
		notifytest.Golden(t, name+".json", b.String())
	}
}

// within lists the limits of Slack that a message breaks, and the mentions and
// links that it should not have.
func within(m notify.Message) (problems []string) {
	body := render(m)
	var p struct {
		Text   string
		Blocks []struct {
			Type             string
			Text             *text
			Fields, Elements []text
		}
	}
	if err := json.Unmarshal(body, &p); err != nil || !utf8.Valid(body) {
		return []string{"no JSON"}
	}
	check := func(what string, ok bool) {
		if !ok {
			problems = append(problems, what)
		}
	}
	fits := func(what, s string, limit int) {
		check(what+": "+s, s != "" && units(s) <= limit && !strings.ContainsAny(clean(s), "<>"))
	}
	check("blocks", len(p.Blocks) > 0 && len(p.Blocks) <= 50)
	fits("fallback", p.Text, 3000)
	links := 0
	for _, b := range p.Blocks {
		check("fields", len(b.Fields) <= 10)
		check("elements", len(b.Elements) <= 10)
		for _, f := range b.Fields {
			fits("field", f.Text, 2000)
			check("a field that is not verbatim", f.Verbatim && f.Type == "mrkdwn")
		}
		for _, e := range b.Elements {
			fits("context", e.Text, 3000)
		}
		if b.Text == nil {
			continue
		}
		if b.Type == "header" {
			fits("header", b.Text.Text, 150)
			check("a header of mrkdwn", b.Text.Type == "plain_text" && !b.Text.Verbatim)
			continue
		}
		s := b.Text.Text
		check("a section that is not verbatim", b.Text.Verbatim && b.Text.Type == "mrkdwn")
		if address, ok := strings.CutPrefix(s, "<"); ok { // our link, the only one
			links++
			address, _ = strings.CutSuffix(address, "|"+m.LinkText()+">")
			check("link: "+address, len(s) <= 3000 && !strings.ContainsAny(address, "<>|") &&
				unescape(address) == m.Link)
			continue
		}
		fits("section", s, 3000)
	}
	check("links", links <= 1)
	return problems
}

func unescape(s string) string {
	return strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">").Replace(s)
}

// clean removes the escapes; an & that is left becomes a < for the checks.
func clean(s string) string {
	s = strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(s)
	return strings.ReplaceAll(s, "&", "<")
}

func TestLimitsAndMentions(t *testing.T) {
	t.Parallel()
	for name, m := range notifytest.Messages() {
		if problems := within(m); len(problems) > 0 {
			t.Errorf("%s: %.300q", name, problems)
		}
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 150 {
		if problems := within(notifytest.Random(r)); len(problems) > 0 {
			t.Fatalf("seed %d: %.300q", seed, problems)
		}
	}
}

// A message that was not made by One or Digest is as harmless.
func TestEscape(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat(notifytest.Hostile, 100)
	m := notify.Message{Kind: huge, Count: 2, Failures: []notify.Failure{{Tenant: huge, Error: huge, Kind: huge}}}
	for m.Count = 1; m.Count < 3; m.Count++ {
		if problems := within(m); len(problems) > 0 {
			t.Errorf("%d: %.300q", m.Count, problems)
		}
	}
}

func TestEscapeCut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		s     string
		limit int
		want  string
	}{
		{"", 3, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"a&b", 7, "a&amp;b"},
		{"a&bc", 7, "a&amp;…"},
		{"a&b", 6, "a…"},
		{"<>&", 13, "&lt;&gt;&amp;"},
		{"<>&", 12, "&lt;&gt;…"},
		{"<>&", 8, "&lt;…"},
		{"<", 3, "…"},
		{"a𝄞b", 4, "a𝄞b"},
		{"a𝄞b", 3, "a…"},
		{"\"'*_`|", 9, "\"'*_`|"},
	} {
		if got := escape(tc.s, tc.limit); got != tc.want {
			t.Errorf("%q in %d: got %q, want %q", tc.s, tc.limit, got, tc.want)
		}
	}
}

func TestLongLink(t *testing.T) {
	t.Parallel()
	m := notify.Test(notifytest.Failure(1, "").At, notifytest.Base)
	m.Link = "https://x.example/" + strings.Repeat("&", 1000)
	if got := link(m); got != "" {
		t.Errorf("got %q", got)
	}
	m.Link = "https://x.example/?a|b&c<d>"
	if got, want := link(m), "<https://x.example/?a%7Cb&amp;c&lt;d&gt;|All documents>"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
