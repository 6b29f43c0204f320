package scan

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// exif is the segment of a JPEG with a tag of orientation behind another tag.
func exif(order binary.AppendByteOrder, orientation uint16) string {
	b := []byte("II*\x00")
	if order.String() == "BigEndian" {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint16(order.AppendUint32(b, 8), 2)
	b = order.AppendUint32(order.AppendUint32(order.AppendUint16(order.AppendUint16(b, 256), 4), 1), 640) // width
	b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, 274), 3), 1)                          // a short
	b = order.AppendUint16(order.AppendUint16(b, orientation), 0)
	b = order.AppendUint32(b, 0)
	b = append([]byte("Exif\x00\x00"), b...)
	return "\xff\xe1" + string(binary.BigEndian.AppendUint16(nil, uint16(2+len(b)))) + string(b)
}

// photo is a JPEG of blocks of 8 x 8 pixels, two rows of three, with segments
// behind its beginning. The blocks are named by their shade.
func photo(t *testing.T, segments string) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 24, 16))
	for y := range 16 {
		for x := range 24 {
			m.Pix[y*m.Stride+x] = map[byte]uint8{'a': 0, 'b': 50, 'c': 100, 'd': 150, 'e': 200, 'f': 250}["abcdef"[y/8*3+x/8]]
		}
	}
	whole := encoded(t, m, "jpg")
	return whole[:2] + segments + whole[2:]
}

// blocks names the blocks of a page, row by row.
func blocks(m *image.Gray) string {
	var b strings.Builder
	for y := 4; y < m.Rect.Dy(); y += 8 {
		for x := 4; x < m.Rect.Dx(); x += 8 {
			b.WriteByte("abcdef"[(int(m.GrayAt(x, y).Y)+25)/50])
		}
		b.WriteByte(' ')
	}
	return strings.TrimSpace(b.String())
}

// The phone stores abc above def, and says how it was held. Written by hand from
// the table of Exif: 6 means that the first row is the right side.
func TestPhotosAreTurned(t *testing.T) {
	t.Parallel()
	want := []string{1: "abc def", 2: "cba fed", 3: "fed cba", 4: "def abc", 5: "ad be cf", 6: "da eb fc", 7: "fc eb da", 8: "cf be ad"}
	for orientation := 1; orientation <= 8; orientation++ {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			wantBlocks(t, fmt.Sprintf("%d, %s", orientation, order), photo(t, exif(order, uint16(orientation))), want[orientation])
		}
	}
}

func wantBlocks(t *testing.T, name, file, want string) {
	t.Helper()
	f, err := open(file)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	m, err := f.Render(context.Background(), 1, 300)
	if err != nil || blocks(m) != want {
		t.Errorf("%s: got %v %v, want %s", name, blocks(m), err, want)
	}
}

// A tag that is missing or broken leaves the photo as it is stored.
func TestUntaggedPhotosStay(t *testing.T) {
	t.Parallel()
	six := exif(binary.LittleEndian, 6)
	other := "\xff\xe1\x00\x08http\x00\x00" // another APP1, such as XMP
	for name, segments := range map[string]string{
		"none":             "",
		"0":                exif(binary.LittleEndian, 0),
		"9":                exif(binary.BigEndian, 9),
		"no short":         strings.Replace(six, "\x12\x01\x03\x00", "\x12\x01\x04\x00", 1),
		"no TIFF":          strings.Replace(six, "II*\x00", "II+\x00", 1),
		"directory beyond": strings.Replace(six, "II*\x00\x08\x00", "II*\x00\xff\xff", 1),
		"other":            other,
		"empty Exif":       "\xff\xe1\x00\x08Exif\x00\x00",
	} {
		wantBlocks(t, name, photo(t, segments), "abc def")
	}
	wantBlocks(t, "behind another segment", photo(t, other+six), "da eb fc")
}

// A TIFF has the tag in the directory of each page.
func TestTIFFPagesAreTurned(t *testing.T) {
	t.Parallel()
	file := []byte(tiffOf(binary.LittleEndian, 1))
	rows := bytes.Index(file, []byte{278 & 255, 278 >> 8, 4, 0}) // of a strip: the default will do
	copy(file[rows:], []byte{274 & 255, 274 >> 8, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0})
	f, err := open(string(file))
	must.OK(t, err)
	m, err := f.Render(context.Background(), 1, 300)
	if err != nil || m.Rect != image.Rect(0, 0, 1, 2) {
		t.Errorf("got %v, %v; want one column of two pixels", m, err)
	}
}

// A WebP has the tag in a chunk behind its pixels, with or without a JPEG's name for it.
func TestWebPIsTurned(t *testing.T) {
	t.Parallel()
	_, tag, _ := strings.Cut(exif(binary.LittleEndian, 6), "Exif\x00\x00")
	for _, chunk := range []string{tag, "Exif\x00\x00" + tag} {
		f, err := open(webpOf(100, 200, chunk))
		must.OK(t, err)
		if m, err := f.Render(context.Background(), 1, 300); err != nil || m.Rect != image.Rect(0, 0, 1, 2) {
			t.Errorf("got %v, %v; want one column of two pixels", m, err)
		}
	}
}
