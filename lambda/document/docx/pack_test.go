package docx

import (
	"archive/zip"
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

const (
	typesXML = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
	relsXML  = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`
	spaces   = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"` +
		` xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"` +
		` xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex"` +
		` xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"`
)

var (
	bareElement   = regexp.MustCompile(`<(/?)([A-Za-z]+)([ />])`)
	bareAttribute = regexp.MustCompile(` ([A-Za-z]+)="`)
)

// word writes the prefix w: before names without one, so that tests stay short.
func word(xml string) string {
	return strings.ReplaceAll(bareAttribute.ReplaceAllString(bareElement.ReplaceAllString(xml, "<${1}w:$2$3"), ` w:$1="`), "w:Requires", "Requires")
}

// part is a part of a test's document: its root element, with the content as word takes it.
func part(root, content string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>` + "\n<w:" + root + spaces + ">" + word(content) + "</w:" + root + ">"
}

var rootOf = map[string]string{"numbering": "numbering", "styles": "styles", "footnotes": "footnotes", "endnotes": "endnotes",
	"comments": "comments", "header": "hdr"}

// file is a Word document with a body and other parts by their kinds.
func file(t *testing.T, body string, more map[string]string) []byte {
	t.Helper()
	parts := map[string]string{"[Content_Types].xml": typesXML, "_rels/.rels": relsXML, "word/document.xml": part("document", "<body>"+body+"</body>")}
	rels := ""
	for _, kind := range slices.Sorted(maps.Keys(more)) {
		parts["word/"+kind+".xml"] = part(rootOf[kind], more[kind])
		rels += `<Relationship Id="` + kind + `" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/` + kind + `" Target="` + kind + `.xml"/>`
		parts["[Content_Types].xml"] = strings.Replace(parts["[Content_Types].xml"], "</Types>", `<Override PartName="/word/`+kind+
			`.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.`+kind+`+xml"/></Types>`, 1)
	}
	if rels != "" {
		parts["word/_rels/document.xml.rels"] = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + rels + `</Relationships>`
	}
	return packed(t, parts)
}

func packed(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		_, err := must.Get(w.Create(name))(t).Write([]byte(parts[name]))
		must.OK(t, err)
	}
	must.OK(t, w.Close())
	return b.Bytes()
}

func read(t *testing.T, data []byte) *Document {
	t.Helper()
	return must.Get(Read(bytes.NewReader(data), int64(len(data))))(t)
}
