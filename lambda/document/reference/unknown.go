package reference

import "slices"

// Unknown lists the numbers behind words that Find does not know, with the folded word as their
// type. It leaves out a word that also stands without a number, because such a word hardly names
// documents.
//
//	"Abrufkennung 0037 vom 3.4.2026" abrufkennung 0037
func Unknown(text string) (list []Found) {
	s, known, bare := clean(text), allLabels(), map[string]bool{}
	var buffer [longestWord]byte
	for i := 0; i < len(s); {
		r, size := runeAt(s, i)
		if !isAlnum(r) {
			i += size
			continue
		}
		key, end := foldedAt(buffer[:0], s, i)
		if l, after, _ := known.at(s, i, end, key); l != nil {
			i = max(after, end)
			continue
		}
		goesOn := wordGoesOn(s, end)
		if word := string(key); !goesOn && mayLabel(word) {
			t := tail{s: s, label: &label{typ: word}, at: end}
			if t.read(i) {
				list = t.addTo(list)
			} else {
				bare[word] = true
			}
		}
		if i = end; goesOn {
			i = alnumAt(s, i)
		}
	}
	return slices.DeleteFunc(list, func(f Found) bool { return bare[f.Type] })
}

// leastLabel bounds the words of Unknown, in bytes: two letters are as likely the beginning of the
// number.
const leastLabel = 3

var neverLabels = []func() map[string]bool{marks, links, owners, dateIntroductions, dateWords, months, conjunctions,
	units, leading, noPrefix}

func mayLabel(word string) bool {
	return len(word) >= leastLabel && !slices.ContainsFunc(neverLabels, func(words func() map[string]bool) bool { return words()[word] })
}

// Labels are words of Unknown that were learned.
type Labels struct{ index *index }

// NewLabels returns labels of words as Unknown has them. It leaves out others.
func NewLabels(words []string) Labels {
	var rows []label
	for _, w := range words {
		if mayLabel(w) && fold(w) == w {
			rows = append(rows, label{typ: w, words: w})
		}
	}
	return Labels{newIndex(rows)}
}

// Find works like the function Find, with the word as the type.
func (l Labels) Find(text string) []Found { return l.index.find(clean(text)) }
