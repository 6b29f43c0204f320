// Command prose checks the English of the tree: comments outside tests, pages, error texts and
// help. It prints each habit of translated prose with its place and a remedy, then rates
// per 1,000 words, and exits with status 1 if a text or a rate is out of bounds. Use it as
//
//	go run ./lambda/internal/prose [DIR]
//
// CHANGELOG.md and golden files aren't read, because they quote what was once written.
package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

// habit is a pattern to avoid, with the remedy.
type habit struct {
	pattern *regexp.Regexp
	remedy  string
}

func avoid(pattern, remedy string) habit { return habit{words(pattern), remedy} }

// words compiles a pattern of words, met in any case and across lines as well.
func words(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)` + strings.ReplaceAll(pattern, " ", `\s+`))
}

// habits are refused in each text. In well-kept Go projects they are hardly ever met: at
// most one in 3,000 words.
var habits = []habit{
	avoid(`\b(is|are) (what|who|whom|whose|how|when|those|that of)\b`, "define by a noun"),
	avoid(`\b(those that|the ones that|that of|those of)\b`, "name the noun again"),
	avoid(`\bwhose\b`, "write with, of or a second sentence"),
	avoid(`\b(of ours|of its own|of their own|of theirs|of no use)\b`, "write own, separate or useless"),
	avoid(`\b(in place of|besides?|anew|afresh|kin|thereof|amid)\b`, "write instead of, next to or again"),
	avoid(`\b(is|are|knows) none\b|\bknows no\b`, "write no, doesn't know or unknown"),
}

// wordings are refused at the beginning or inside of an error text, too.
var wordings = []habit{
	avoid(`^(a|an|the|no|what|it|there) `, "begin with the problem: unknown, missing, invalid, expected"),
	avoid(`\b(is|are|has|knows) no\b|\bnone of\b|\bof a kind\b`, "write unknown, missing or invalid"),
}

// rate bounds how often a pattern is met in 1,000 words, or in 100 error texts.
type rate struct {
	name     string
	pattern  *regexp.Regexp
	min, max float64
	kinds    []kind
}

// rates have bounds near river, oscar, boulder and net/http, measured in 2026.
var rates = []rate{
	{"that, which", words(`\b(that|which)\b`), 0, 20, prose},
	{"you, must, should, use, see, note", words(`\b(you|must|should|uses?|see|note)\b`), 8, 1000, prose},
	{"because, so that, since, otherwise, so", words(`\b(because|so that|since|otherwise|so)\b`), 4.5, 1000, prose},
	{"is no X", words(`\b(is|are|be|has|have) no [a-z]+\b`), 0, 1, prose},
	{"who, nobody", words(`\b(who|whom|whoever|nobody|somebody|everybody)\b`), 0, .6, prose},
	{"tell, say", words(`\b(tells?|told|says?|said)\b`), 0, .6, prose},
	{"unknown, missing, invalid, expected", words(`\b(invalid|unknown|missing|expected|must|unsupported|duplicate|not found|too)\b`),
		12, 100, []kind{errorText}},
}

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	texts, err := read(root)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if !check(os.Stdout, texts) {
		os.Exit(1)
	}
}

// check reports whether all texts and rates are within bounds, and prints the others.
func check(w io.Writer, texts []text) (ok bool) {
	ok = true
	for _, t := range texts {
		refused := habits
		if t.kind == errorText {
			refused = slices.Concat(habits, wordings)
		}
		for _, h := range refused {
			for _, found := range h.pattern.FindAllStringIndex(t.words, -1) {
				ok = false
				line := t.line + strings.Count(t.words[:found[0]], "\n")
				met := strings.Join(strings.Fields(t.words[found[0]:found[1]]), " ")
				fmt.Fprintf(w, "%s:%d: %s: %q: %s\n", t.file, line, t.kind, met, h.remedy)
			}
		}
	}
	for _, r := range rates {
		for _, k := range r.kinds {
			value, counted := r.of(texts, k)
			if !counted {
				continue
			}
			verdict := ""
			if value < r.min || value > r.max {
				verdict, ok = "   <- out of bounds", false
			}
			fmt.Fprintf(w, "%-38s %-8s %5.1f   %s%s\n", r.name, k, value, r.bound(), verdict)
		}
	}
	return ok
}

// of returns the rate of a kind of text; counted is false without such texts.
func (r rate) of(texts []text, k kind) (value float64, counted bool) {
	var found, total int
	for _, t := range texts {
		switch {
		case t.kind != k:
		case k == errorText:
			total++
			found += len(r.pattern.FindAllStringIndex(t.words, 1))
		default:
			total += len(strings.Fields(t.words))
			found += len(r.pattern.FindAllStringIndex(t.words, -1))
		}
	}
	per := 1000.0
	if k == errorText {
		per = 100
	}
	return per * float64(found) / float64(cmp.Or(total, 1)), total > 0
}

func (r rate) bound() string {
	if r.min > 0 {
		return fmt.Sprintf(">= %g", r.min)
	}
	return fmt.Sprintf("<= %g", r.max)
}
