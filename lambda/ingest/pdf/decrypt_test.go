package pdf

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
)

// locked is a PDF of one page, encrypted with a password by the standard handler, revision 3 (128
// bits of RC4), as in ISO 32000-1, 7.6.3. The owner's password is the same.
func locked(password, text string) string {
	const padding = "\x28\xbf\x4e\x5e\x4e\x75\x8a\x41\x64\x00\x4e\x56\xff\xfa\x01\x08\x2e\x2e\x00\xb6\xd0\x68\x3e\x80\x2f\x0c\xa9\xfe\x64\x53\x69\x7a"
	const id, rights = "0123456789abcdef", -4
	padded := []byte((password + padding)[:32])
	hash := func(parts ...[]byte) []byte { sum := md5.Sum(bytes.Join(parts, nil)); return sum[:] }
	crypt := func(key, data []byte, rounds int) []byte {
		for i := range rounds {
			round := bytes.Clone(key)
			for j := range round {
				round[j] ^= byte(i)
			}
			cipher, _ := rc4.NewCipher(round)
			cipher.XORKeyStream(data, data)
		}
		return data
	}
	fifty := func(key []byte) []byte {
		for range 50 {
			key = hash(key)
		}
		return key
	}
	owner := crypt(fifty(hash(padded)), bytes.Clone(padded), 20)
	p := int32(rights)
	key := fifty(hash(padded, owner, binary.LittleEndian.AppendUint32(nil, uint32(p)), []byte(id)))
	user := crypt(key, hash([]byte(padding), []byte(id)), 20)
	content := crypt(hash(key, []byte{4, 0, 0, 0, 0}), []byte("BT /F 12 Tf 50 700 Td ("+text+") Tj ET"), 1)
	return newPDF().add("<< /Type /Catalog /Pages 2 0 R >>").add("<< /Type /Pages /Kids [3 0 R] /Count 1 >>").
		add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>").
		stream("", string(content)).
		add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>").
		add("<< /Filter /Standard /V 2 /R 3 /Length 128 /P %d /O <%x> /U <%x> >>", rights, owner, append(user, make([]byte, 16)...)).
		end(fmt.Sprintf("/Encrypt 6 0 R /ID [<%x> <%[1]x>]", id))
}

func TestDecrypt(t *testing.T) {
	t.Parallel()
	r := must.Get(New(Config{CacheDir: UserCache()}))(t)
	t.Cleanup(func() { _ = r.Close() })
	file := locked("Köln 7", "Rechnung 4711")
	plain, ok, err := r.Decrypt(t.Context(), []byte(file), []string{"other", "Köln 7"})
	if err != nil || !ok {
		t.Fatalf("got %v, %v", ok, err)
	}
	doc := must.Get(r.Open(t.Context(), bytes.NewReader(plain), int64(len(plain))))(t)
	defer doc.Close()
	page := must.Get(doc.Text(t.Context(), 1))(t)
	if len(page.Lines) != 1 || page.Lines[0].Text != "Rechnung 4711" || strings.Contains(string(plain), "Köln") {
		t.Errorf("got %+v", page.Lines)
	}
	again, _, _ := r.Decrypt(t.Context(), []byte(file), []string{"Köln 7"})
	if !bytes.Equal(again, plain) {
		t.Error("the copies differ, so that the file would have another id each time")
	}
	for name, data := range map[string]string{"another password": locked("x", "y"), "no password": onePage("", ""), "no PDF": "%PDF-"} {
		if _, ok, err := r.Decrypt(t.Context(), []byte(data), []string{"Köln 7"}); ok || err != nil {
			t.Errorf("%s: got %v, %v", name, ok, err)
		}
	}
}
