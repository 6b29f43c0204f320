package email

import (
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"matchbook/lambda/notify"
	"matchbook/lambda/notify/notifytest"
)

func TestMails(t *testing.T) {
	t.Parallel()
	for name, m := range notifytest.Messages() {
		notifytest.Golden(t, name+".html", html(m))
		notifytest.Golden(t, name+".txt", "Subject: "+subject(m)+"\n\n"+notify.Text(m))
	}
}

// elements are the ones that the page may have, whatever its texts contain.
var elements = []string{"html", "head", "meta", "title", "body", "h2", "p", "b", "br", "table", "tr", "th", "td", "a"}

// harm lists the faults of a message's mail.
func harm(m notify.Message) (problems []string) {
	s := subject(m)
	if s == "" || utf8.RuneCountInString(s) > 150 ||
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		problems = append(problems, "subject: "+s)
	}
	page := html(m)
	if !strings.HasSuffix(page, "</html>\n") {
		problems = append(problems, "the page is not whole")
	}
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	links := 0
	for {
		token, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return append(problems, err.Error())
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !slices.Contains(elements, start.Name.Local) {
			problems = append(problems, "element "+start.Name.Local)
		}
		for _, a := range start.Attr {
			if a.Name.Local == "href" {
				if links++; !strings.HasPrefix(a.Value, "https://") {
					problems = append(problems, "link to "+a.Value)
				}
			}
		}
	}
	if links > 1 {
		problems = append(problems, "more than one link")
	}
	return problems
}

func TestMailInjection(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		if problems := harm(notifytest.Random(r)); len(problems) > 0 {
			t.Fatalf("seed %d: %.300q", seed, problems)
		}
	}
	huge := strings.Repeat("<a href=\"x\"><b>"+strings.NewReplacer("\x00", "", "\x1b", "", "\xff",
		"").Replace(notifytest.Hostile), 50)
	untidied := notify.Message{Kind: huge, Count: 1, Failures: []notify.Failure{{Tenant: huge, Error: huge}}}
	messages := notifytest.Messages()
	messages["untidied"] = untidied
	for name, m := range messages {
		if problems := harm(m); len(problems) > 0 {
			t.Errorf("%s: %.300q", name, problems)
		}
	}
}

func TestMailMatchesText(t *testing.T) {
	t.Parallel()
	for name, m := range notifytest.Messages() {
		if strings.Contains(name, "hostile") || strings.Contains(name, "long") {
			continue // the golden files show them; there, escapes differ
		}
		page := strings.NewReplacer("&amp;", "&", "&#39;", "'", "&lt;", "<", "&gt;", ">").Replace(html(m))
		for _, line := range strings.Split(notify.Text(m), "\n") {
			_, value, found := strings.Cut(line, ": ")
			if !found || strings.HasPrefix(line, " ") {
				value = line
			}
			if !strings.Contains(page, strings.TrimSpace(value)) {
				t.Errorf("%s: %q is not in\n%s", name, line, page)
			}
		}
	}
}
