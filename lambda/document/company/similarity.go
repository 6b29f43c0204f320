package company

import (
	"slices"
	"unicode/utf8"
)

// Likeness of two different words. The losses add up over the words of a name.
const (
	likeFolded      = 0.96 // umlauts, digits for letters, a known abbreviation
	likeJoined      = 0.95 // two words are one
	likeMisread     = 0.9  // one or two characters of a long word
	likeAbbreviated = 0.9  // with a dot
	likeBeginning   = 0.8  // a word begins with the other
	likeShort       = 0.7  // one character of a short word
)

// conflict is the additional loss if each name has words missing in the other.
const conflict = 1.0

// likeReading is the likeness of two names if one is only a part of the printed name.
const likeReading = 0.97

// Similarity returns the likeness of two names without their legal forms: 1 for the same words
// in any order, 0 for nothing in common or an empty name. It is symmetric. Read it as
// different companies below 0.5, as unclear up to 0.75, and rather as one company from 0.85
// on. If a printed name contains several names, the best one counts.
func Similarity(a, b Name) float64 {
	if a.IsZero() || b.IsZero() {
		return 0
	}
	if a.key == b.key {
		return 1
	}
	best := 0.0
	if len(a.parts) == 0 || len(b.parts) == 0 { // otherwise the additions to both names may be the same
		best = max(aligned(a, b), blended(a, b))
	}
	for _, part := range a.parts {
		best = max(best, likeReading*aligned(part, b), likeReading*blended(part, b))
		for _, other := range b.parts {
			best = max(best, likeReading*aligned(part, other))
		}
	}
	for _, part := range b.parts {
		best = max(best, likeReading*aligned(a, part), likeReading*blended(a, part))
	}
	return best
}

// Comparable reports whether two names have words of one script. Otherwise don't use
// Similarity, because it is 0 even for one company.
func Comparable(a, b Name) bool {
	latin := func(w word) bool { return w.text[0] < utf8.RuneSelf && !w.number() }
	other := func(w word) bool { return w.text[0] >= utf8.RuneSelf }
	return slices.ContainsFunc(a.words, latin) && slices.ContainsFunc(b.words, latin) ||
		slices.ContainsFunc(a.words, other) && slices.ContainsFunc(b.words, other)
}

// Sisters reports whether two names begin alike and go on differently, like two companies of
// one family or group: Amsel Metallbau and Amsel Holzbau.
func Sisters(a, b Name) bool {
	a, b = a.first(), b.first()
	if a.IsZero() || b.IsZero() || a.words[0].weak ||
		a.words[0].text != b.words[0].text && likeness(&a.words[0], &b.words[0]) < likeMisread {
		return false
	}
	m := align(a, b)
	for i := range m.a {
		for j := range m.b {
			if !m.usedA[i] && !m.usedB[j] && goesOn(&m.a[i]) && goesOn(&m.b[j]) && !Within(m.a[i].fold, m.b[j].fold, misreadMore) {
				return true
			}
		}
	}
	return false
}

// misreadMore is the maximum of different characters in a word misread on both documents.
const misreadMore = 3

// first returns the first name within a name.
func (n Name) first() Name {
	if len(n.parts) > 0 {
		return n.parts[0]
	}
	return n
}

// goesOn reports whether a word describes a company.
func goesOn(w *word) bool { return len(w.text) >= 5 && w.weight >= shareTrade }

// aligned returns the likeness of two names by their words, each aligned with at most one word of
// the other name. It is the weight of the aligned words, times their likeness, as a share of the
// weight of all words (Dice's coefficient), and less if both names have words left over.
func aligned(a, b Name) float64 {
	if a.key == b.key {
		return 1
	}
	m := align(a, b)
	leftA, leftB := left(m.a, &m.usedA), left(m.b, &m.usedB)
	return m.shared / (m.weight + leftA + leftB + conflict*min(leftA, leftB))
}

// alignment maps the words of two names to each other.
type alignment struct {
	a, b         []word
	usedA, usedB [maxWords]bool
	weight       float64 // of the words aligned
	shared       float64 // the same, times their likeness
}

func align(a, b Name) *alignment {
	if a.key > b.key {
		a, b = b, a // same steps, so that the result is symmetric
	}
	m := &alignment{a: a.words, b: b.words}
	m.equal()
	m.joined(m.a, m.b, &m.usedA, &m.usedB)
	m.joined(m.b, m.a, &m.usedB, &m.usedA)
	m.alike()
	return m
}

func left(words []word, used *[maxWords]bool) (weight float64) {
	for i, w := range words {
		if !used[i] {
			weight += w.weight
		}
	}
	return weight
}

func (m *alignment) add(weight, alike float64) {
	m.weight += weight
	m.shared += weight * alike
}

func (m *alignment) equal() {
	for i, a := range m.a {
		for j, b := range m.b {
			if !m.usedB[j] && a.text == b.text {
				m.usedA[i], m.usedB[j] = true, true
				m.add(a.weight+b.weight, 1)
				break
			}
		}
	}
}

// joined aligns two neighbours with one word that joins them.
func (m *alignment) joined(parts, wholes []word, usedParts, usedWholes *[maxWords]bool) {
	for i := range len(parts) - 1 {
		first, second := parts[i], parts[i+1]
		for j, whole := range wholes {
			if usedParts[i] || usedParts[i+1] || usedWholes[j] || len(whole.fold) != len(first.fold)+len(second.fold) ||
				whole.fold[:len(first.fold)] != first.fold || whole.fold[len(first.fold):] != second.fold {
				continue
			}
			usedParts[i], usedParts[i+1], usedWholes[j] = true, true, true
			m.add(first.weight+second.weight+whole.weight, likeJoined)
		}
	}
}

// alike aligns the remaining words, most alike first.
func (m *alignment) alike() {
	var table [maxWords][maxWords]float64
	for i := range m.a {
		for j := range m.b {
			if !m.usedA[i] && !m.usedB[j] {
				table[i][j] = likeness(&m.a[i], &m.b[j])
			}
		}
	}
	for {
		best, bestI, bestJ := 0.0, 0, 0
		for i := range m.a {
			for j := range m.b {
				if !m.usedA[i] && !m.usedB[j] && table[i][j] > best {
					best, bestI, bestJ = table[i][j], i, j
				}
			}
		}
		if best == 0 {
			return
		}
		m.usedA[bestI], m.usedB[bestJ] = true, true
		m.add(m.a[bestI].weight+m.b[bestJ].weight, best)
	}
}

// likeness estimates whether two words are one word, misread or abbreviated.
func likeness(a, b *word) float64 {
	if a.number() || b.number() {
		return 0 // 24 is not 42; equal words are aligned by now
	}
	if a.fold == b.fold {
		return likeFolded
	}
	if len(a.fold) > len(b.fold) {
		a, b = b, a
	}
	best, short, long := 0.0, len(a.fold), len(b.fold)
	switch {
	case a.rough == b.rough && short >= 5:
		best = likeMisread
	case a.rough == b.rough && short >= 3:
		best = likeShort
	case a.digits > 0 && b.digits > 0: // another digit means another model or station
	case short >= 9 && Within(a.fold, b.fold, 2), short >= 4 && long >= 5 && Within(a.fold, b.fold, 1):
		best = likeMisread
	}
	return max(best, abbreviates(a, b), abbreviates(b, a))
}

// abbreviates estimates whether the first word is short for the second.
func abbreviates(a, b *word) float64 {
	n := len(a.fold)
	switch begins := n < len(b.fold) && b.fold[:n] == a.fold; {
	case a.dotted && begins, a.dotted && n >= 3 && leavesOut(a.fold, b.fold):
		return likeAbbreviated
	case begins && n >= 3:
		return likeBeginning
	}
	return 0
}

// leavesOut reports whether short is long without some characters after the first.
func leavesOut(short, long string) bool {
	if len(short) >= len(long) || short[0] != long[0] {
		return false
	}
	i := 0
	for j := 0; i < len(short) && j < len(long); j++ {
		if short[i] == long[j] {
			i++
		}
	}
	return i == len(short)
}

// Within reports whether n edits turn a into b: a character inserted, removed or replaced, or
// two transposed.
func Within(a, b string, n int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return len(a)+len(b) <= n
	}
	if n == 0 || len(a)-len(b) > n || len(b)-len(a) > n {
		return false
	}
	return Within(a[1:], b[1:], n-1) || Within(a[1:], b, n-1) || Within(a, b[1:], n-1) ||
		len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && Within(a[2:], b[2:], n-1)
}
