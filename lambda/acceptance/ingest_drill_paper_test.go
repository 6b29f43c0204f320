package acceptance_test

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/executable"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/ingestions"

	"github.com/google/uuid"
)

// step is a moment of an ingestion at which its process is killed.
type step string

const (
	reading     step = "reading the file"
	atOCR       step = "OCR at work"
	transcribed step = "OCR finished, and nothing recorded"
	asking      step = "transcription recorded, the model not asked"
	asked       step = "model call in flight"
	askedAgain  step = "second model call in flight"
	answered    step = "answer received, and not stored"
	completing  step = "answer stored, and nothing completed"
	completed   step = "completed, the match message not sent"
	sent        step = "match message sent, its own not deleted"
)

var steps = []step{reading, atOCR, transcribed, asking, asked, askedAgain, answered, completing, completed, sent}

// paper is a file of the drill: a scan, whose width is its number. The OCR and
// the model read the number, so that their servers count by file.
type paper struct {
	ingestion.Row
	n       int
	content []byte
	twice   bool // its first answer fails the gate
	step    step // at which its process is killed; empty: never
	beat    bool // killed only after a heartbeat
}

const firstPaper = 1000 // the width of the first scan

func newPaper(t *testing.T, n int) *paper {
	t.Helper()
	page := image.NewGray(image.Rect(0, 0, n, 600))
	for i := range page.Pix {
		page.Pix[i] = 255
	}
	page.SetGray(100, 100, color.Gray{})
	var content bytes.Buffer
	must.OK(t, png.Encode(&content, page))
	return &paper{n: n, content: content.Bytes()}
}

func (p *paper) number() string { return fmt.Sprint("RE-", p.n) }

// plan makes the papers, each with its step, before the first one is published.
func (d *ingestDrill) plan(papers []*paper) {
	d.t.Helper()
	for _, p := range papers {
		d.papers[p.n] = p
		p.ID, p.TenantID, p.DocumentID = uuid.New(), testTenant, uuid.New()
		p.FilePath = "documents/" + p.DocumentID.String() + ".png"
		stored := filepath.Join(d.files, "ingestions", p.ID.String(), "transcription.json")
		must.OK(d.t, os.Symlink(stored, fmt.Sprintf("%s/stored-%d", d.engine, p.n)))
		if p.step == "" {
			continue
		}
		d.exec("INSERT INTO armed VALUES ($1, $2, $3, $4)", p.n, p.ID, p.DocumentID, string(p.step))
		d.exec("SELECT pg_advisory_lock($1, $2)", gateLock, p.n)
		d.armed[p.n] = p.step
		if p.step == atOCR {
			d.fifo(fmt.Sprint("go-", p.n))
			d.write(d.t, fmt.Sprintf("%s/hold-%d", d.engine, p.n), "", 0o600)
		}
	}
}

// publish stores the file of a paper, or a pipe that holds its readers.
func (d *ingestDrill) publish(p *paper) {
	d.t.Helper()
	must.OK(d.t, os.MkdirAll(filepath.Join(d.files, "documents"), 0o700))
	path := filepath.Join(d.files, filepath.FromSlash(p.FilePath))
	if p.step != reading {
		d.write(d.t, path, string(p.content), 0o600)
	} else if err := syscall.Mkfifo(path, 0o600); err != nil {
		d.t.Fatal(err)
	}
	stamped := must.Get(ingestions.New(d.DB).AddFile(d.t.Context(), p.Row))(d.t)
	must.Get(d.ingest.Queue.Send(d.t.Context(), stamped))(d.t)
}

// restore puts the file in the place of the pipe that holds its readers.
func (d *ingestDrill) restore(p *paper) {
	d.t.Helper()
	path := filepath.Join(d.files, filepath.FromSlash(p.FilePath))
	d.write(d.t, path+".whole", string(p.content), 0o600)
	must.OK(d.t, os.Rename(path+".whole", path))
}

// drillOCR is the program in the place of tesseract. It notes its call by file
// and process, and whether a transcription of the file was in storage.
const drillOCR = `#!/bin/sh
dir='%s'
case "$1" in
--version) echo 'tesseract 5.3.0'; exit ;;
--list-langs) printf 'List of available languages (2):\ndeu\neng\n'; exit ;;
esac
read magic; read n height
cat >/dev/null
[ -n "$n" ] || exit # its process died before it gave the page
stored=
[ -e "$dir/stored-$n" ] && stored=again
echo "$n $PPID $stored" >> "$dir/calls"
if [ -e "$dir/hold-$n" ]; then
	echo "$n $PPID" > "$dir/held"
	read go < "$dir/go-$n"
fi
sed "s/4402/RE-$n/" "$dir/page.tsv"
`

func (d *ingestDrill) installOCR() {
	d.t.Helper()
	executable.Script(d.t, d.engine+"/tesseract", fmt.Sprintf(drillOCR, d.engine))
	d.write(d.t, d.engine+"/page.tsv", pageTSV, 0o600)
	d.write(d.t, d.engine+"/calls", "", 0o600)
	held := d.fifo("held")
	go func() {
		for lines := bufio.NewScanner(held); lines.Scan(); {
			var n, pid int
			if _, err := fmt.Sscan(lines.Text(), &n, &pid); err == nil {
				d.reach(reached{n, atOCR, pid, func() { d.write(d.t, fmt.Sprintf("%s/go-%d", d.engine, n), "go\n", 0) }})
			}
		}
	}()
}

// fifo makes a named pipe of the OCR, which stays open until the end of the test.
func (d *ingestDrill) fifo(name string) *os.File {
	d.t.Helper()
	path := filepath.Join(d.engine, name)
	must.OK(d.t, syscall.Mkfifo(path, 0o600))
	f := must.Get(os.OpenFile(path, os.O_RDWR, 0))(d.t)
	d.t.Cleanup(func() {
		_, _ = f.WriteString("\n") // lets a program go that still waits
		_ = f.Close()
	})
	return f
}
