package scripted

import (
	"hash/fnv"
	"math"
	"strings"
	"unicode"
)

// vector returns the scripted embedding of a text, of unit length. It hashes each word, and
// each three consecutive letters of a word (including its ends), to a dimension and a sign,
// and adds them up. So texts sharing words, or parts of words, are close together and others
// nearly at right angles; the meaning of words plays no part.
func vector(text string, dimensions int) []float32 {
	sum := make([]float64, dimensions)
	add := func(feature string, weight float64) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(feature)) // never fails
		mixed := mix(h.Sum64())
		if mixed>>63 == 1 {
			weight = -weight
		}
		sum[mixed%uint64(dimensions)] += weight
	}
	for _, word := range strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		add("word "+word, 1)
		letters := []rune("^" + word + "$")
		for i := 0; i+3 <= len(letters); i++ {
			add("part "+string(letters[i:i+3]), 0.5)
		}
	}
	if length(sum) < 1e-9 { // without words, or with a sum of zero
		add("text "+text, 1)
	}
	unit, norm := make([]float32, dimensions), length(sum)
	for i, x := range sum {
		unit[i] = float32(x / norm)
	}
	return unit
}

func length(v []float64) float64 {
	squares := 0.0
	for _, x := range v {
		squares += x * x
	}
	return math.Sqrt(squares)
}

// mix spreads a hash over all its bits: the finalizer of MurmurHash3.
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
