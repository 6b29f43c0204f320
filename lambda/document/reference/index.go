package reference

import (
	"strings"
	"sync"
)

// index finds labels word by word, folded.
type index struct {
	next   map[string]*index
	label  *label
	starts *lengths // of the first words; nil: all may be in next
}

// lengths holds the lengths of words by first byte, a bit for each. It is faster than a map,
// because most words of a text are in no label. It is as large as a hundred words, so only the
// root of an index has one.
type lengths [256]uint64

func (l *lengths) add(word string) { l[word[0]] |= 1 << len(word) }

func (l *lengths) may(word []byte) bool {
	return len(word) > 0 && l[word[0]]&(1<<len(word)) != 0
}

// allLabels is made when it is needed, because most functions start without it.
var allLabels = sync.OnceValue(func() *index { return newIndex(allLabelRows()) })

func newIndex(rows []label) *index {
	root := &index{starts: &lengths{}}
	for i := range rows {
		node := root
		joint := func(r rune) bool { return strings.ContainsRune(" -.'", r) }
		for _, w := range strings.FieldsFunc(rows[i].words, joint) {
			if node.next == nil {
				node.next = make(map[string]*index)
			}
			key := fold(w)
			if node.next[key] == nil {
				node.next[key] = &index{}
			}
			if node.starts != nil {
				node.starts.add(key)
			}
			node = node.next[key]
		}
		node.label = &rows[i]
	}
	return root
}

// after returns the continuations of the word.
func (labels *index) after(word []byte) *index {
	if labels.starts != nil && !labels.starts.may(word) {
		return nil
	}
	return labels.next[string(word)]
}

// at returns the longest label at the word [i, end), its end, and whether it has a number mark.
func (labels *index) at(s string, i, end int, key []byte) (l *label, after int, mark bool) {
	node := labels.after(key)
	if node == nil {
		return labels.compound(key, end, s)
	}
	var buffer [longestWord]byte
	for node != nil {
		if node.label != nil && (!wordGoesOn(s, end) || node.label.words == "PO") {
			l, after = node.label, end
		}
		next := afterJoint(s, end, end-i == 1)
		if node.next == nil || next < 0 {
			break
		}
		i = next
		key, end = foldedAt(buffer[:0], s, i)
		node = node.after(key)
	}
	return l, after, false
}

// compound returns the label in a German compound with -nummer or -nr.
func (labels *index) compound(key []byte, end int, s string) (*label, int, bool) {
	for _, suffix := range []string{"nr", "nummer", "nummern"} {
		if len(key) < len(suffix) || string(key[len(key)-len(suffix):]) != suffix || wordGoesOn(s, end) {
			continue
		}
		if next := labels.after(key[:len(key)-len(suffix)]); next != nil && next.label != nil {
			return next.label, end, true
		}
	}
	return nil, 0, false
}

// afterJoint returns the place where the next word of a label may begin: after one blank,
// hyphen or apostrophe, or the dot of a single letter. It returns -1 without one.
func afterJoint(s string, i int, initial bool) int {
	r, size := runeAt(s, i)
	switch {
	case r == '.' && initial || r == '\'' || r == '’' || r == '-' || r == '/' && initial || isSpace(r):
		i += size
	default:
		return -1
	}
	if r == '.' && i < len(s) && s[i] == ' ' {
		i++
	}
	if r, _ := runeAt(s, i); !isLetter(r) {
		return -1
	}
	return i
}
