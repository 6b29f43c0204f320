package container

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// archive is a ZIP with files, each a name and a content.
func archive(t *testing.T, files ...[2]string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		_, err := must.Get(w.Create(f[0]))(t).Write([]byte(f[1]))
		must.OK(t, err)
	}
	must.OK(t, w.Close())
	return b.String()
}

const message = "From: Kiosk <post@kiosk.example>\r\nSubject: invoice\r\nMIME-Version: 1.0\r\n" +
	"Content-Type: multipart/mixed; boundary=b\r\n\r\n" +
	"--b\r\nContent-Type: multipart/alternative; boundary=c\r\n\r\n--c\r\nContent-Type: text/plain\r\n\r\nHello\r\n--c--\r\n" +
	"--b\r\nContent-Type: application/pdf; name=\"=?utf-8?q?Rechnung_=C3=A4.pdf?=\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
	"JVBERi0x\r\nLjc=\r\n" +
	"--b\r\nContent-Type: text/xml\r\nContent-Disposition: attachment; filename=\"a.xml\"\r\n" +
	"Content-Transfer-Encoding: quoted-printable\r\n\r\n<a x=3D\"1\"/>\r\n--b--\r\n"

// forwarded is a certified mail: signed, with the mail that it carries, and in that a mail.
const forwarded = "From: pec@posta.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/signed; boundary=s\r\n\r\n" +
	"--s\r\nContent-Type: multipart/mixed; boundary=o\r\n\r\n" +
	"--o\r\nContent-Type: message/rfc822; name=\"postacert.eml\"\r\n\r\n" + message + "--o\r\n" +
	"Content-Type: text/xml; name=\"../a.xml\"\r\n\r\n<c/>\r\n" +
	"--o\r\nContent-Type: text/xml; name=\"..\"\r\n\r\n<d/>\r\n--o--\r\n" +
	"--s\r\nContent-Type: application/pkcs7-signature; name=\"smime.p7s\"\r\n\r\nx\r\n--s--\r\n"

// Signed data without signers, written by hand: of indefinite length with the content in two
// parts, and of definite length.
const (
	oid        = "\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07"
	signedBER  = "\x30\x80" + oid + "\x02\xa0\x80\x30\x80\x02\x01\x01\x31\x80\x30\x02\x05\x00\x00\x00\x30\x80" + oid + "\x01\xa0\x80\x24\x80\x04\x02<a\x04\x02/>\x00\x00"
	signedDER  = "\x30\x81\x26" + oid + "\x02\xa0\x19\x30\x17\x02\x01\x01\x31\x00\x30\x10" + oid + "\x01\xa0\x03\x04\x01x\x31\x00"
	unfinished = "\x30\x80" + oid + "\x02\xa0\x80\x30\x80\x02\x01\x01\x31\x80"
)

func TestContainersOpen(t *testing.T) {
	t.Parallel()
	const closed = "container in a container; unpack it and send the files in it"
	for _, tc := range []struct{ name, data, want string }{
		{"a ZIP", archive(t, [2]string{"may/", ""}, [2]string{`may\a.pdf`, "%PDF-1.7"}, [2]string{"../b.xml", "<b/>"}),
			"may/a.pdf=%PDF-1.7|b.xml=<b/>"},
		{"a ZIP in a ZIP", archive(t, [2]string{"in.zip", archive(t, [2]string{"a", "b"})}), "in.zip: " + closed},
		{"a mail in a ZIP", archive(t, [2]string{"m.eml", message}), "m.eml: " + closed},
		{"an office document in a ZIP", archive(t, [2]string{"a.docx", archive(t, [2]string{"[Content_Types].xml", ""})}), "office"},
		{"a bomb", archive(t, [2]string{"big.txt", strings.Repeat(" ", 2<<20)}), "big.txt: compressed more than 200 times; send it alone"},
		{"a mail", message, "Rechnung ä.pdf=%PDF-1.7|a.xml=<a x=\"1\"/>"},
		{"a mail cut off", message[:len(message)-60], "Rechnung ä.pdf=%PDF-1.7|the rest of the mail: damaged in its container; send it alone"},
		{"a mail without files", "From: a@b.example\r\nMessage-ID: <1>\r\n\r\nHello", "the mail: mail without an attached file; print it to a PDF and send that"},
		{"a name above", archive(t, [2]string{"../../x/a\x00\n.txt", "a"}, [2]string{"/x/a.txt", "b"}, [2]string{"..", "c"}), "x/a.txt=a|x/a (2).txt=b|file=c"},
		{"a ZIP of folders", archive(t, [2]string{"may/", ""}), "no file: container without files; send the files"},
		{"files of a system", archive(t, [2]string{"__MACOSX/._a", "a"}, [2]string{"a/.DS_Store", "b"}, [2]string{"b", "c"}), "b=c"},
		{"mails in a mail", forwarded, `Rechnung ä.pdf=%PDF-1.7|a.xml=<a x="1"/>|a (2).xml=<c/>|file=<d/>`},
		{"a signed file", signedBER, "the signed file=<a/>"},
		{"a signed file in DER", signedDER, "the signed file=x"},
		{"a signed file in Base64", base64.StdEncoding.EncodeToString([]byte(signedDER)), "the signed file=x"},
		{"a signed file in PEM", string(pem.EncodeToMemory(&pem.Block{Type: "PKCS7", Bytes: []byte(signedBER)})), "the signed file=<a/>"},
		{"a signed file in a ZIP", archive(t, [2]string{"a.xml.p7m", signedBER}), "a.xml=<a/>"},
		{"signed and cut off", signedBER[:len(signedBER)-2], ""}, {"signed and cut early", unfinished, ""},
		{"signed and nested", unfinished + strings.Repeat("\x30\x80", 1_000_000), ""},
		{"an office document", archive(t, [2]string{"[Content_Types].xml", ""}), ""},
		{"a text like a mail", "From: Kiosk\nInvoice: 7\n\nTotal: 10.00", ""},
		{"a PDF", "%PDF-1.7\nFrom: x", ""}, {"a damaged ZIP", "PK\x03\x04", ""}, {"nothing", "", ""},
	} {
		files, ok := Open([]byte(tc.data))
		if head := []byte(tc.data)[:min(len(tc.data), Head)]; ok && !Is(head) {
			t.Errorf("%s: not recognised", tc.name)
		}
		var got []string
		for _, f := range files {
			switch {
			case f.Refused != "":
				got = append(got, f.Name+": "+f.Refused)
			case strings.HasPrefix(string(f.Content), "PK"):
				got = append(got, "office")
			default:
				got = append(got, f.Name+"="+string(f.Content))
			}
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%s: got %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestEachStopsAtError(t *testing.T) {
	t.Parallel()
	stop, n := errors.New("stop"), 0
	ok, err := Each([]byte(archive(t, [2]string{"a", "1"}, [2]string{"b", "2"})), func(File) error { n++; return stop })
	if !ok || n != 1 || !errors.Is(err, stop) {
		t.Errorf("got %d files, %v", n, err)
	}
}

func TestContainerLimit(t *testing.T) {
	t.Parallel()
	var many [][2]string
	for i := range 501 {
		many = append(many, [2]string{fmt.Sprint(i), "x"})
	}
	files, _ := Open([]byte(archive(t, many...)))
	want := "too many files in the container: limit 499; this and the following were left out"
	if len(files) != 500 || files[498].Refused != "" || files[499].Refused != want {
		t.Errorf("got %d files, the last %+v", len(files), files[len(files)-1])
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte(message))
	f.Add([]byte(signedBER))
	f.Add([]byte(signedDER))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, ok := Open(data)
		if !ok && files != nil {
			t.Error("files of no container")
		}
	})
}
