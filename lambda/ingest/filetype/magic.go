package filetype

import "bytes"

// kind is a type of file recognised by its first bytes.
type kind struct {
	name     string
	magic    string
	at       int    // offset of the magic
	text     bool   // the file is text, too; other kinds need bytes that text can't have
	accepted Type   // empty if refused
	advice   string // to the sender, if refused
}

const (
	unpack  = "unpack it and send the files in it"
	convert = "save or print it as a PDF and send that"
	photo   = "save it as JPEG or PNG and send that"
	program = "programs are not accepted"
)

var kinds = []kind{
	{name: "a PNG image", magic: "\x89PNG\r\n\x1a\n", accepted: PNG},
	{name: "a JPEG image", magic: "\xff\xd8\xff", accepted: JPEG},
	{name: "a TIFF image", magic: "II*\x00", accepted: TIFF},
	{name: "a TIFF image", magic: "MM\x00*", accepted: TIFF},
	{name: "a ZIP archive or office document", magic: "PK\x03\x04", advice: unpack + ", or " + convert},
	{name: "an empty ZIP archive", magic: "PK\x05\x06", advice: unpack},
	{name: "a part of a ZIP archive", magic: "PK\x07\x08", advice: unpack},
	{name: "a gzip archive", magic: "\x1f\x8b", advice: unpack},
	{name: "a bzip2 archive", magic: "BZh", advice: unpack},
	{name: "an xz archive", magic: "\xfd7zXZ\x00", advice: unpack},
	{name: "a Zstandard archive", magic: "\x28\xb5\x2f\xfd", advice: unpack},
	{name: "a 7-Zip archive", magic: "7z\xbc\xaf\x27\x1c", advice: unpack},
	{name: "a RAR archive", magic: "Rar!\x1a\x07", advice: unpack},
	{name: "a tar archive", magic: "ustar", at: 257, advice: unpack},
	{name: "an office or mail document", magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", advice: convert},
	{name: "an RTF document", magic: "{\\rtf", text: true, advice: convert},
	{name: "a PostScript file", magic: "%!PS", text: true, advice: convert},
	{name: "a GIF image", magic: "GIF8", advice: photo},
	{name: "a BMP image", magic: "BM", advice: photo},
	{name: "a WebP image", magic: "WEBP", at: 8, advice: photo},
	{name: "a HEIC or AVIF image or a video", magic: "ftyp", at: 4, advice: photo},
	{name: "a JPEG 2000 image", magic: "\x00\x00\x00\x0cjP  ", advice: photo},
	{name: "a BigTIFF image", magic: "II+\x00", advice: photo},
	{name: "a BigTIFF image", magic: "MM\x00+", advice: photo},
	{name: "a program", magic: "MZ", advice: program},
	{name: "a program", magic: "\x7fELF", advice: program},
	{name: "a script", magic: "#!", text: true, advice: program},
}

// match returns the kind of a file by its first bytes, or an empty kind.
func match(head []byte) kind {
	text := isText(head)
	for _, k := range kinds {
		if len(head) >= k.at && bytes.HasPrefix(head[k.at:], []byte(k.magic)) && text == k.text {
			return k
		}
	}
	return kind{}
}
