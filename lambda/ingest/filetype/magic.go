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
	convert = "save it as a PDF and send that"
	photo   = "save it as JPEG or PNG and send that"
	phone   = "save it as JPEG and send that; an iPhone takes JPEG with Settings, Camera, Formats, Most Compatible"
	program = "programs are not accepted"
	signed  = "save the signed file without its signature and send that"
)

var kinds = []kind{
	{name: "a PNG image", magic: "\x89PNG\r\n\x1a\n", accepted: PNG},
	{name: "a JPEG image", magic: "\xff\xd8\xff", accepted: JPEG},
	{name: "a TIFF image", magic: "II*\x00", accepted: TIFF},
	{name: "a TIFF image", magic: "MM\x00*", accepted: TIFF},
	{name: zipName, magic: "PK\x03\x04", advice: unpack},
	{name: "an empty ZIP archive", magic: "PK\x05\x06", advice: unpack},
	{name: "a part of a ZIP archive", magic: "PK\x07\x08", advice: unpack},
	{name: "a gzip archive", magic: "\x1f\x8b", advice: unpack},
	{name: "a bzip2 archive", magic: "BZh", advice: unpack},
	{name: "an xz archive", magic: "\xfd7zXZ\x00", advice: unpack},
	{name: "a Zstandard archive", magic: "\x28\xb5\x2f\xfd", advice: unpack},
	{name: "a 7-Zip archive", magic: "7z\xbc\xaf\x27\x1c", advice: unpack},
	{name: "a RAR archive", magic: "Rar!\x1a\x07", advice: unpack},
	{name: "a tar archive", magic: "ustar", at: 257, advice: unpack},
	{name: oleName, magic: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", advice: convert},
	{name: "an RTF document", magic: "{\\rtf", text: true, advice: convert},
	{name: "a PostScript file", magic: "%!PS", text: true, advice: convert},
	{name: "a GIF image", magic: "GIF8", advice: photo},
	{name: "a BMP image", magic: "BM", advice: photo},
	{name: "a WebP image", magic: "WEBP", at: 8, accepted: WebP},
	{name: "a HEIC image", magic: "ftyphe", at: 4, advice: phone},
	{name: "a HEIC image", magic: "ftypmif1", at: 4, advice: phone},
	{name: "a HEIC image", magic: "ftypmsf1", at: 4, advice: phone},
	{name: "an AVIF image", magic: "ftypavi", at: 4, advice: photo},
	{name: "a video", magic: "ftyp", at: 4, advice: "take a photo of each page and send that"},
	{name: "a JPEG 2000 image", magic: "\x00\x00\x00\x0cjP  ", advice: photo},
	{name: "a BigTIFF image", magic: "II+\x00", advice: photo},
	{name: "a BigTIFF image", magic: "MM\x00+", advice: photo},
	{name: "a program", magic: "MZ", advice: program},
	{name: "a program", magic: "\x7fELF", advice: program},
	{name: "a program", magic: "\xcf\xfa\xed\xfe", advice: program},
	{name: "a program", magic: "\xca\xfe\xba\xbe", advice: program},
	{name: "a script", magic: "#!", text: true, advice: program},
}

// Names of kinds that say more after a look inside; see inside.
const (
	zipName = "a ZIP archive"
	oleName = "an office or mail document"
)

// match returns the kind of a file by its first bytes, or an empty kind.
func match(head []byte) kind {
	text := isText(head)
	for _, k := range kinds {
		if len(head) >= k.at && bytes.HasPrefix(head[k.at:], []byte(k.magic)) && text == k.text {
			return inside(k, head)
		}
	}
	if signedData(head) {
		return kind{name: "a signed file, .p7m", advice: signed}
	}
	return kind{}
}

// application is the program of an office document, by a name inside the file.
type application struct{ mark, name, advice string }

// applications are in ZIP archives: of Microsoft by a folder, of OpenDocument by its first entry.
var applications = []application{
	{"mimetypeapplication/vnd.oasis.opendocument.text", "a text document of LibreOffice", convert},
	{"mimetypeapplication/vnd.oasis.opendocument.spreadsheet", "a spreadsheet of LibreOffice", convert},
	{"mimetypeapplication/vnd.oasis.opendocument", "a document of LibreOffice", convert},
	{"mimetypeapplication/epub", "an electronic book", convert},
	{"word/", "a Word document", convert},
	{"xl/", "an Excel workbook", convert},
	{"ppt/", "a PowerPoint presentation", convert},
	{"[Content_Types].xml", "an office document", convert},
}

// streams are in the office and mail documents of before 2007, named in UTF-16.
var streams = []application{
	{"WordDocument", "a Word document", convert},
	{"Workbook", "an Excel workbook", convert},
	{"PowerPoint Document", "a PowerPoint presentation", convert},
	{"__substg1.0_", "an Outlook message", "save it as .eml, or send the files attached to it"},
}

// inside says which office document a file is, by the name that its sender uses.
func inside(k kind, head []byte) kind {
	list, is := streams, k.name == oleName
	if k.name == zipName {
		list, is = applications, office(head)
	}
	for _, a := range list {
		mark := []byte(a.mark)
		if k.name == oleName {
			mark = utf16(a.mark)
		}
		if is && bytes.Contains(head, mark) {
			k.name, k.advice = a.name, a.advice
			break
		}
	}
	return k
}

// IsZIP reports whether a file is a ZIP archive of files: no office document, and no PDF to other
// readers.
func IsZIP(data []byte) bool {
	head := data[:min(len(data), sampled)]
	at := bytes.Index(head, []byte("%PDF-"))
	first := match(head)
	return first.name == zipName && (at < 0 || at >= headerWithin || packed(first, head, at))
}

// office reports whether a ZIP archive is an office document, by its first entries.
func office(head []byte) bool {
	head = head[:min(len(head), 4<<10)]
	return bytes.Contains(head, []byte("[Content_Types].xml")) || bytes.Contains(head, []byte("mimetypeapplication/"))
}

func utf16(s string) (b []byte) {
	for i := range len(s) {
		b = append(b, s[i], 0)
	}
	return b
}

// signedData reports whether a file begins as signed data of PKCS #7 in DER.
func signedData(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x30")) &&
		bytes.Contains(head[:min(len(head), 24)], []byte("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"))
}

// packed reports whether what begins at an offset is a file in an archive. A ZIP archive is opened
// by some readers, so the offset must be where a file in it begins.
func packed(k kind, head []byte, at int) bool {
	if k.name != zipName {
		return k.advice == unpack
	}
	const header, name, extra = 30, 26, 28
	for from := 0; from < at; from += 4 {
		i := bytes.Index(head[from:at], []byte("PK\x03\x04"))
		if i < 0 || from+i+header > at {
			return false
		}
		from += i
		size := func(field int) int { return int(head[from+field]) | int(head[from+field+1])<<8 }
		if from+header+size(name)+size(extra) == at {
			return true
		}
	}
	return false
}
