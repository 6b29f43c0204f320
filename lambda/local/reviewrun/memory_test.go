package reviewrun

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/database"
	"matchbook/lambda/local/scripted"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/postgrestest"
)

// heap is a writer that notes how large the heap is at each write.
type heap struct {
	bytes.Buffer
	most uint64
}

func (h *heap) Write(p []byte) (int, error) {
	h.most = max(h.most, inUse())
	return h.Buffer.Write(p)
}

func inUse() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

const picture = 4 << 20

// illustrated returns a Word document with a picture.
func illustrated(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"_rels/.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ` +
			`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>` +
			text + `</w:t></w:r></w:p></w:body></w:document>`,
	} {
		must.Get(must.Get(z.Create(name))(t).Write([]byte(content)))(t)
	}
	noise := make([]byte, picture)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	must.Get(must.Get(z.CreateHeader(&zip.FileHeader{Name: "word/media/image1.png"}))(t).Write(noise))(t)
	must.OK(t, z.Close())
	return b.Bytes()
}

// Twenty contracts in one command hold one document at a time, while they are read and while their
// comments are written. It isn't parallel, because the heap is the process's.
func TestMemoryIsBounded(t *testing.T) { //nolint:paralleltest // the heap is the process's
	folder, comments := t.TempDir(), t.TempDir()
	for i := range 20 {
		text := fmt.Sprintf("1. Liability. The liability of supplier %d is limited to EUR 900.", i)
		must.OK(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%02d.docx", i)), illustrated(t, text), 0o600))
	}
	// The last file is refused, and said so after all others were read.
	must.OK(t, os.WriteFile(filepath.Join(folder, "99.docx"), []byte("PK\x03\x04 is no archive"), 0o600))
	url := postgrestest.EmptyURL(t)
	env := func(name string) string { return map[string]string{variable.DatabaseURL: url}[name] }
	o := Options{JSON: true, Database: database.Choice{Named: true}, Model: scripted.Flags{Mode: scripted.ModeNone}, Word: comments}
	said, out := &heap{}, &heap{}
	m := term.NewMeter(said)
	defer m.Close()
	before := inUse()
	must.Get(o.Review(context.WithoutCancel(t.Context()), []string{folder}, env, out, m))(t)
	if written := must.Get(filepath.Glob(filepath.Join(comments, "*.docx")))(t); len(written) != 20 || said.most == 0 || out.most == 0 {
		t.Errorf("%d documents are written; said %q", len(written), said.String())
	}
	t.Logf("%d MB before, %d MB after reading, %d MB while writing", before>>20, said.most>>20, out.most>>20)
	for _, most := range []uint64{said.most, out.most} {
		if most > before+5*picture {
			t.Errorf("%d MB are in use, %d MB before: documents of %d MB are held", most>>20, before>>20, picture>>20)
		}
	}
}
