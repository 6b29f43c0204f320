package llm

import (
	"encoding/binary"
	"math"
)

// Bytes encodes the vector for storage: 4 bytes a number, little endian.
func (v Vector) Bytes() []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// VectorOf decodes the output of Bytes; nil if b cannot be one.
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
