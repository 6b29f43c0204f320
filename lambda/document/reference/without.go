package reference

import "strings"

// Without returns the text without its citations and their labels. Use it to see what else a
// text is about.
//
//	"Bearing 6204, order no. 4500010046 of May" "Bearing 6204, of May"
func Without(text string) string {
	s := clean(text)
	var b strings.Builder
	at, n := 0, 0
	allLabels().each(s, func(t *tail, from int) bool {
		b.WriteString(s[at:from])
		at = t.at
		n++
		return n < most
	})
	if n == 0 {
		return s
	}
	b.WriteString(s[at:])
	return strings.Join(strings.Fields(b.String()), " ")
}
