package filetype

import "bytes"

// Sample keeps the parts of a file that decide its type. Write the file to it. The zero Sample
// is ready to use.
type Sample struct {
	head, tail []byte
	size       int64
}

// Write implements io.Writer. It never fails.
func (s *Sample) Write(p []byte) (int, error) {
	s.size += int64(len(p))
	s.head = append(s.head, p[:min(len(p), sampled-len(s.head))]...)
	s.tail = append(s.tail, p[max(0, len(p)-zipEnd):]...)
	s.tail = s.tail[max(0, len(s.tail)-zipEnd):]
	return len(p), nil
}

// Type determines the type of the file, as Of does.
func (s *Sample) Type() (Type, error) {
	if s.size <= sampled {
		return Of(bytes.NewReader(s.head), s.size)
	}
	if s.size > MaxBytes {
		return Of(nil, s.size)
	}
	return decide(s.head, s.tail)
}
