package byrules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"matchbook/lambda/document"
	"matchbook/lambda/ingest/extraction"
	"matchbook/lambda/ingest/transcript"
)

// changed says what is read otherwise if a line of a paper is missing, or stands lower or farther right, as in
// another scan or layout (a sixth of the lines each): rules that lean on a neighbour, a label, a place or a sum show there.
func changed(pages transcript.Transcription, own []document.Party) (out string) {
	if len(pages.Pages) > 1 || len(pages.Pages[0].Lines) > 60 {
		return "" // takes long
	}
	whole := valuesOf(Extract(pages, own...))
	for i, p := range pages.Pages {
		for j := 0; j < len(p.Lines); j += 2 {
			l := p.Lines[j]
			lower, right := l, l
			down := (l.Box.Bottom - l.Box.Top) * 0.7
			lower.Box.Top, lower.Box.Bottom = l.Box.Top+down, l.Box.Bottom+down
			right.Box.Left, right.Box.Right = l.Box.Left+0.06, l.Box.Right+0.06
			how := j / 2 % 3
			line := [][]transcript.Line{{}, {lower}, {right}}[how]
			other := transcript.Transcription{Pages: slices.Clone(pages.Pages)}
			other.Pages[i].Lines = slices.Replace(slices.Clone(p.Lines), j, j+1, line...)
			if differs := differences(whole, valuesOf(Extract(other, own...))); len(differs) > 0 {
				out += fmt.Sprintf("%s %q: %s\n", []string{"without", "lower", "right"}[how], l.Text, strings.Join(differs, ", "))
			}
		}
	}
	return out
}

func differences(whole, other map[string]string) (differs []string) {
	for _, path := range slices.Sorted(maps.Keys(other)) {
		if other[path] != whole[path] {
			differs = append(differs, path+" "+other[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(whole)) {
		if _, kept := other[path]; !kept {
			differs = append(differs, "no "+path)
		}
	}
	return differs
}

// valuesOf lists the values of documents by path, with how they are known, and what is doubted.
func valuesOf(found []extraction.Extraction) map[string]string {
	all := map[string]string{}
	for i, e := range found {
		at := strings.Repeat("'", i)
		all[at+"type"] = fmt.Sprint(e.Type, " ", e.Confidence, " ", e.Pages, " ", e.Missing)
		for _, v := range extraction.Values(e.Data) {
			all[at+v.Path] = fmt.Sprintf("%s (%.1s)", v.Text, e.Fields[v.Path].Trust)
		}
		for _, d := range e.Doubts {
			all[at+"doubt "+d.Field] += fmt.Sprintf("%.40s; ", d.Text)
		}
	}
	return all
}
