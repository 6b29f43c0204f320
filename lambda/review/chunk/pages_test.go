package chunk

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/ingest/transcript"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

func TestOfPages(t *testing.T) {
	t.Parallel()
	line := func(text string, left, top float64) transcript.Line {
		return transcript.Line{Text: text, Box: transcript.Box{Left: left, Top: top, Right: left + 0.1, Bottom: top + 0.02}}
	}
	pages := []transcript.Page{
		{Lines: []transcript.Line{
			line("1.", 0.1, 0.1), line("TERM", 0.3, 0.101),
			line("This agreement begins", 0.1, 0.16), line("today. It ends", 0.1, 0.18), line("tomorrow.", 0.1, 0.2),
		}},
		{},
		{Lines: []transcript.Line{line("2. END", 0.1, 0.1)}},
	}
	want := "1.  TERM\n\nThis agreement begins\ntoday. It ends\ntomorrow.\n\f\n\f2. END"
	if got := OfPages(pages); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestPDFReadsAsItsText(t *testing.T) {
	t.Parallel()
	folder := testenv.Shared(t, "eval/contracts")
	const name = "RaeSystemsInc_20001114_10-Q_EX-10.57_2631790_EX-10.57_Co-Branding Agreement.pdf"
	text := must.Get(Clean([]byte(OfPages(readPDF(t, filepath.Join(folder, "pdf", name))))))(t)
	// The PDF's feet are left out.
	feet := regexp.MustCompile(`(?m)^(Source: .*|\d+)$`)
	want := must.Get(Clean(feet.ReplaceAll(contract(t, folder, name), nil)))(t)
	if got, want := squash(text), squash(want); len(got) < len(want)*99/100 || len(got) > len(want)*101/100 {
		t.Errorf("the PDF has %d characters, the text %d", len(got), len(want))
	}
	if got, want := headings(text), headings(want); !reflect.DeepEqual(got[1:3], want[1:3]) {
		t.Errorf("got the headings %q, want %q", got[1:3], want[1:3])
	}
}

func headings(text string) (found []string) {
	for _, p := range Split(text) {
		found = append(found, p.Heading)
	}
	return found
}

// Both columns of a contract are read one after the other.
func TestSharedColumns(t *testing.T) {
	t.Parallel()
	file := filepath.Join(testenv.Shared(t, "eval/contracts/situations"), "twocol.pdf")
	got := strings.Join(strings.Fields(OfPages(readPDF(t, file))), " ")
	for _, want := range []string{"renews automatically for successive periods of 36 months unless either party gives 180 days' notice before the end",
		"shall not exceed EUR 500 in any contract year. 3. Indemnity", "against all losses without limitation. 4. Governing law"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %q", want, got)
		}
	}
}
