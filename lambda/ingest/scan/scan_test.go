package scan

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
)

func encoded(t testing.TB, m image.Image, as string) string {
	t.Helper()
	var b bytes.Buffer
	encode := func() error { return png.Encode(&b, m) }
	if as == "jpg" {
		encode = func() error { return jpeg.Encode(&b, m, nil) }
	}
	must.OK(t, encode())
	return b.String()
}

// sheet is a page of one gray.
func sheet(w, h int, gray uint8) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = gray
	}
	return m
}

// tiffOf is a TIFF of pages of one gray each, 2 x 1 pixels.
func tiffOf(order binary.AppendByteOrder, grays ...uint8) string {
	const entries, directory = 8, 2 + 8*12 + 4
	b := []byte("II*\x00")
	if order.String() == "BigEndian" {
		b = []byte("MM\x00*")
	}
	const start = 8
	b = order.AppendUint32(b, start)
	for i, gray := range grays {
		at := uint32(len(b))
		b = order.AppendUint16(b, entries)
		// Width, height, bits, no compression, black is 0, where the pixels are, rows of a strip, bytes of it.
		for _, e := range [][2]uint32{{256, 2}, {257, 1}, {258, 8}, {259, 1}, {262, 1},
			{273, at + directory}, {278, 1}, {279, 2}} {
			const long = 4
			b = order.AppendUint16(b, uint16(e[0]))
			b = order.AppendUint32(order.AppendUint32(order.AppendUint16(b, long), 1), e[1])
		}
		next := at + directory + 2
		if i == len(grays)-1 {
			next = 0
		}
		b = append(order.AppendUint32(b, next), gray, gray)
	}
	return string(b)
}

// pngOf is the header of a PNG of that size, without its pixels.
func pngOf(w, h uint32) string {
	header := append([]byte("IHDR"), binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)...)
	header = append(header, 8, 0, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), header...)
	return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(header)))
}

// webpOf is a lossless WebP of 2 x 1 pixels, green by these values. The bits are those of
// RFC 9649: a code of one symbol takes no bits, a code of two takes one for each pixel.
func webpOf(left, right uint8, chunks string) string {
	bits, n := []byte{}, 0
	put := func(v uint32, width int) {
		for i := range width {
			if n%8 == 0 {
				bits = append(bits, 0)
			}
			bits[n/8] |= byte(v>>i&1) << (n % 8)
			n++
		}
	}
	put(0x2f, 8)
	put(1, 14)  // width - 1
	put(0, 14)  // height - 1
	put(0, 1+3) // no alpha, version 0
	put(0, 3)   // no transform, no cache of colours, one group of codes
	put(0b111, 3)
	put(uint32(left), 8)
	put(uint32(right), 8)
	for _, symbol := range []uint32{0, 0, 255} { // red, blue, alpha
		put(0b101, 3)
		put(symbol, 8)
	}
	put(0b0001, 4) // distance
	put(0b10, 2)   // the pixels
	if len(bits)%2 == 1 {
		bits = append(bits, 0)
	}
	chunk := func(name, content string) string {
		return name + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content
	}
	body := "WEBP" + chunk("VP8L", string(bits))
	if chunks != "" {
		body = "WEBP" + chunk("VP8X", "\x08\x00\x00\x00\x01\x00\x00\x00\x00\x00") + chunk("VP8L", string(bits)) + chunk("EXIF", chunks)
	}
	return chunk("RIFF", body)
}

func open(file string) (*File, error) { return Open(strings.NewReader(file), int64(len(file))) }

func TestPagesAreDecoded(t *testing.T) {
	t.Parallel()
	transparent := image.NewNRGBA(image.Rect(5, 5, 7, 6)) // nothing drawn: white paper
	red := image.NewRGBA(image.Rect(0, 0, 2, 1))
	red.Set(0, 0, color.RGBA{255, 0, 0, 255})
	red.Set(1, 0, color.White)
	for name, tc := range map[string]struct {
		file string
		want [][2]uint8 // the two pixels of each page
	}{
		"PNG":                 {encoded(t, sheet(2, 1, 77), "png"), [][2]uint8{{77, 77}}},
		"PNG, transparent":    {encoded(t, transparent, "png"), [][2]uint8{{255, 255}}},
		"PNG, in colour":      {encoded(t, red, "png"), [][2]uint8{{76, 255}}},
		"JPEG":                {encoded(t, sheet(2, 1, 100), "jpg"), [][2]uint8{{100, 100}}},
		"TIFF":                {tiffOf(binary.LittleEndian, 42), [][2]uint8{{42, 42}}},
		"WebP":                {webpOf(100, 200, ""), [][2]uint8{{58, 117}}}, // green is 0.587 of the light
		"TIFF of three pages": {tiffOf(binary.BigEndian, 1, 2, 3), [][2]uint8{{1, 1}, {2, 2}, {3, 3}}},
	} {
		f, err := open(tc.file)
		if err != nil || f.Pages() != len(tc.want) {
			t.Errorf("%s: got %+v, %v", name, f, err)
			continue
		}
		for i, want := range tc.want {
			m, err := f.Render(context.Background(), i+1, 300)
			if err != nil || m.Rect != image.Rect(0, 0, 2, 1) || [2]uint8(m.Pix) != want {
				t.Errorf("%s, page %d: got %v, %v; want %v", name, i+1, m, err, want)
			}
		}
	}
}

func TestHostileHeaders(t *testing.T) {
	t.Parallel()
	const damaged = "image is damaged or incomplete"
	whole := tiffOf(binary.LittleEndian, 1)
	patch := func(at int, v uint32) string {
		return whole[:at] + string(binary.LittleEndian.AppendUint32(nil, v)) + whole[at+4:]
	}
	for name, tc := range map[string]struct{ file, want string }{
		"empty":                      {"", damaged},
		"a PNG of 100,000 x 100,000": {pngOf(100_000, 100_000), "has 100000 x 100000 pixels, limit 40 million"},
		"a PNG of 2^31 x 1":          {pngOf(1<<31-1, 1), "limit 40 million"},
		"a PNG without pixels":       {pngOf(0, 5), damaged},
		"a JPEG of 65,500 x 65,500": {"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00" +
			"\xff\xc0\x00\x0b\x08\xff\xdc\xff\xdc\x01\x01\x11\x00", "has 65500 x 65500 pixels"},
		"a truncated JPEG": {"\xff\xd8\xff\xc0", damaged},
		"a TIFF of 100,000 x 100,000": {strings.Replace(patch(10+8, 100_000), "\x01\x01\x04\x00\x01\x00\x00\x00\x01\x00\x00\x00",
			"\x01\x01\x04\x00\x01\x00\x00\x00\xa0\x86\x01\x00", 1), "has 100000 x 100000 pixels"},
		"a TIFF whose page follows itself": {patch(8+2+8*12, 8), "more than 200 pages, or a page that follows itself"},
		"a TIFF without pages":             {patch(4, 0), damaged},
		"a TIFF whose page is missing":     {patch(4, 1<<30), damaged},
		"a TIFF cut in its directory":      {whole[:20], damaged},
		"a GIF":                            {"GIF89a\x01\x00\x01\x00", damaged},
	} {
		_, err := open(tc.file)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if f := failure.Of(err); f.Kind != failure.Permanent || !strings.Contains(f.Text, tc.want) {
			t.Errorf("%s: got %v %q, want %q", name, f.Kind, f.Text, tc.want)
		}
	}
}

func TestTruncatedImage(t *testing.T) {
	t.Parallel()
	f, err := open(pngOf(100, 100)) // the header is fine
	must.OK(t, err)
	if _, err := f.Render(context.Background(), 1, 300); failure.Of(err).Kind != failure.Permanent {
		t.Errorf("got %v", err)
	}
}

type cutOff struct{}

func (cutOff) ReadAt([]byte, int64) (int, error) { return 0, errors.New("connection reset") }

func TestFailedReadIsTransient(t *testing.T) {
	t.Parallel()
	_, err := Open(cutOff{}, 100)
	if f := failure.Of(err); f.Kind != failure.Transient {
		t.Errorf("got %v, want a transient failure", f)
	}
}

func FuzzImagesEndWithAnErrorAtMost(f *testing.F) {
	f.Add([]byte(tiffOf(binary.LittleEndian, 1, 2)))
	f.Add([]byte(pngOf(3, 3)))
	f.Fuzz(func(_ *testing.T, content []byte) {
		file, err := open(string(content))
		if err != nil {
			return
		}
		for i := range file.Pages() {
			_, _ = file.Render(context.Background(), i+1, 300)
		}
	})
}

func TestDecodesOneAtATime(t *testing.T) {
	t.Parallel()
	f, err := open(encoded(t, sheet(2, 1, 77), "png"))
	must.OK(t, err)
	decoding <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = f.Render(ctx, 1, 300)
	<-decoding
	if want := "wait for the decoder of images: stopped before it was done"; err == nil || failure.Of(err).Text != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := f.Render(t.Context(), 1, 300); err != nil {
		t.Errorf("the place is lost: %v", err)
	}
}
