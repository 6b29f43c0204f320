package main

import (
	"archive/zip"
	"fmt"
	"html"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/document/docx"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/review/record"
)

const wordContract = "../../document/docx/testdata/made/contract.docx"

// partOfWord reads a part of a Word document as bare XML.
func partOfWord(t *testing.T, path, name string) string {
	t.Helper()
	z := must.Get(zip.OpenReader(path))(t)
	defer z.Close()
	return string(must.Get(io.ReadAll(must.Get(z.Open(name))(t)))(t))
}

var (
	ourComment = regexp.MustCompile(`<w:comment w:id="(\d+)" w:author="Matchbook".*?</w:comment>`)
	wordText   = regexp.MustCompile(`<w:t(?: [^>]*)?>([^<]*)</w:t>`)
	deleted    = regexp.MustCompile(`(?s)<w:del .*?</w:del>`)
)

// textsOf joins the texts of XML, without white space.
func textsOf(xml string) string {
	var b strings.Builder
	for _, m := range wordText.FindAllStringSubmatch(deleted.ReplaceAllString(xml, ""), -1) {
		b.WriteString(html.UnescapeString(m[1]))
	}
	return strings.Join(strings.Fields(b.String()), "")
}

// wantComment finds the comment on a finding, and compares what it encloses with the quote.
func wantComment(t *testing.T, f record.Finding, comments [][]string, main string) {
	t.Helper()
	for _, c := range comments {
		if !strings.HasPrefix(textsOf(c[0]), strings.Join(strings.Fields(strings.ToUpper(string(f.Severity))+": "+f.Title), "")) {
			continue
		}
		_, rest, _ := strings.Cut(main, fmt.Sprintf(`<w:commentRangeStart w:id="%s"/>`, c[1]))
		inside, _, ok := strings.Cut(rest, fmt.Sprintf(`<w:commentRangeEnd w:id="%s"/>`, c[1]))
		// Numbers are Word's, and notes stand elsewhere.
		quote := regexp.MustCompile(`^[\d.]+ |\[\d+\]?`).ReplaceAllString(f.Quote, "")
		if got := textsOf(inside); ok && (got == strings.Join(strings.Fields(quote), "") || f.Quote == "") {
			return
		}
	}
	t.Errorf("no comment on %q encloses %q", f.Title, f.Quote)
}

func TestReviewDOCX(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out.docx")
	url := postgrestest.EmptyURL(t)
	r := reviewJSON(t, url, wordContract, "--model", "none", "--docx", out)
	comments := ourComment.FindAllStringSubmatch(partOfWord(t, out, "word/comments.xml"), -1)
	main := partOfWord(t, out, "word/document.xml")
	shown, wordings := 0, 0
	quotes := map[string]bool{}
	for _, f := range r.Findings {
		if f.Repeats != 0 || f.Withdrawn {
			continue
		}
		shown++
		wantComment(t, f.Finding, comments, main)
		quotes[f.Quote] = true
		if f.Quote != "" && f.Fallback != "" {
			wordings++
		}
	}
	if len(comments) != shown || shown < 4 {
		t.Errorf("%d comments on %d findings", len(comments), shown)
	}
	if n := strings.Count(main, `w:author="Matchbook"`); wordings == 0 || n == 0 || n > wordings {
		t.Errorf("%d insertions of %d wordings", n, wordings)
	}
	// Found by hand: words in several runs, with a tracked change, and at a comment.
	for _, want := range []string{"renews automatically for successive periods of five years", "shall be unlimited", "exclusively"} {
		found := false
		for q := range quotes {
			found = found || strings.Contains(q, want)
		}
		if !found {
			t.Errorf("no finding quotes %q: %v", want, quotes)
		}
	}
	if len(r.Changes) != 2 || r.Changes[0].Kind != docx.Deleted || r.Changes[0].Text != "three" || r.Changes[1].Author != "Ida Holm" ||
		len(r.Comments) != 1 || r.Comments[0].Quote != "shall be unlimited" {
		t.Errorf("got %+v, %+v", r.Changes, r.Comments)
	}
	code, text, _ := matchbook(t, url, "review", wordContract, "--model", "none", "--database")
	for _, want := range []string{"deleted by Ole Berg 2026-08-04: “three”", "comment by Ole Berg 2026-08-05: “Never.” on “shall be unlimited”"} {
		if code != cli.ExitOK || !strings.Contains(text, want) {
			t.Errorf("exit status %d, no %q in\n%s", code, want, text)
		}
	}
}
