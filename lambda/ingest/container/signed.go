package container

import (
	"bytes"
	"encoding/base64"
	"encoding/pem"
)

// unsigned returns the file in signed data of PKCS #7 (.p7m), in BER, DER or Base64. It doesn't
// check the signature, because the file is read as if it had come without one.
//
// github.com/smallstep/pkcs7 and its ancestors descend into every element by recursion: a file of
// nested elements ends the process. This reader follows the one path to the content.
func unsigned(data []byte) (content []byte, ok bool) {
	r := ber{data: binaryOf(data)}
	ok = r.enter(sequence) && r.is(signedData) && r.enter(explicit) && r.enter(sequence) &&
		r.skip(integer) && r.skip(set) && r.enter(sequence) && r.skip(identifier) && r.enter(explicit)
	if !ok {
		return nil, false // another file, or a signature without its file
	}
	return r.octets()
}

// The tags on the way to the content.
const (
	integer     = 0x02
	octetString = 0x04
	identifier  = 0x06
	sequence    = 0x30
	set         = 0x31
	explicit    = 0xa0
	constructed = 0x20
)

var signedData = []byte("\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02")

// maybeSigned reports whether a file with this beginning may be signed data.
func maybeSigned(head []byte) bool {
	if bytes.HasPrefix(head, []byte("-----BEGIN ")) {
		return true
	}
	const before = 8 // of tags and lengths
	start := head[:min(len(head), 32)]
	if decoded, err := base64.StdEncoding.DecodeString(string(start)); err == nil {
		start = decoded
	}
	return bytes.HasPrefix(start, []byte{sequence}) && bytes.Contains(start[:min(len(start), before+len(signedData))], signedData)
}

// binaryOf decodes PEM, and Base64 that begins as a sequence.
func binaryOf(data []byte) []byte {
	if !bytes.HasPrefix(data, []byte("MI")) && !bytes.HasPrefix(data, []byte("-----BEGIN ")) {
		return data
	}
	if block, _ := pem.Decode(data); block != nil {
		return block.Bytes
	}
	decoded, err := base64.StdEncoding.DecodeString(string(bytes.Join(bytes.Fields(data), nil)))
	if err != nil {
		return data
	}
	return decoded
}

// ber reads elements one after another.
type ber struct{ data []byte }

// header reads a tag of one byte and a length; -1 is an indefinite length.
func (r *ber) header() (tag byte, length int, ok bool) {
	if len(r.data) < 2 {
		return 0, 0, false
	}
	tag, first := r.data[0], r.data[1]
	r.data = r.data[2:]
	switch n := int(first & 0x7f); {
	case first == 0x80:
		return tag, -1, tag&constructed != 0
	case first < 0x80:
		length = int(first)
	case n > 4 || n > len(r.data):
		return 0, 0, false
	default:
		for _, b := range r.data[:n] {
			length = length<<8 | int(b)
		}
		r.data = r.data[n:]
	}
	return tag, length, length <= len(r.data)
}

func (r *ber) enter(want byte) bool {
	tag, _, ok := r.header()
	return ok && tag == want
}

// is reads an object identifier and compares it.
func (r *ber) is(want []byte) bool {
	tag, length, ok := r.header()
	if !ok || tag != identifier {
		return false
	}
	found := r.data[:length]
	r.data = r.data[length:]
	return bytes.Equal(found, want)
}

// skip skips an element with all in it. Elements of indefinite length end with two zeros.
func (r *ber) skip(want byte) bool {
	tag, length, ok := r.header()
	if ok = ok && tag == want; ok && length >= 0 {
		r.data = r.data[length:]
		return true
	}
	for open := 1; ok && open > 0; {
		if tag, length, ok = r.header(); !ok {
			break
		}
		switch {
		case length < 0:
			open++
		case tag == 0:
			open--
		default:
			r.data = r.data[length:]
		}
	}
	return ok
}

// octets returns an octet string, whole or in parts.
func (r *ber) octets() (content []byte, ok bool) {
	tag, length, ok := r.header()
	switch {
	case ok && tag == octetString:
		return r.data[:length], true
	case !ok || tag != octetString|constructed:
		return nil, false
	case length >= 0:
		r.data = r.data[:length]
	}
	for len(r.data) > 0 {
		tag, n, ok := r.header()
		switch {
		case ok && tag == 0 && length < 0:
			return content, true
		case !ok || tag != octetString:
			return nil, false
		}
		content, r.data = append(content, r.data[:n]...), r.data[n:]
	}
	return content, length >= 0
}
