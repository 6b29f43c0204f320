package llm

import (
	"encoding/binary"
	"math"
)

// Bytes is the form in which vectors are stored: 4 bytes a number, little
// endian.
func (v Vector) Bytes() []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// VectorOf reads what Bytes wrote; nil if it is nothing of the kind.
func VectorOf(b []byte) Vector {
	if len(b) == 0 || len(b)%4 != 0 {
		return nil
	}
	v := make(Vector, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v
}

// Cosine is how near two vectors are, 1 at most; 0 when one is missing or they
// are not of one kind.
func Cosine(a, b Vector) (sum float64) {
	if len(a) != len(b) {
		return 0
	}
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
