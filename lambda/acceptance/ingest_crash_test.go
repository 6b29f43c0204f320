package acceptance_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"matchbook/lambda/internal/executable"
	"matchbook/lambda/internal/must"
)

// pageTSV is what tesseract prints for the invoice 4402.
const pageTSV = `level	page_num	block_num	par_num	line_num	word_num	left	top	width	height	conf	text
5	1	1	1	1	1	100	100	180	20	95	Sommer
5	1	1	1	1	2	290	100	80	20	95	GmbH
5	1	1	1	2	1	100	200	120	20	95	Rechnung
5	1	1	1	3	1	100	300	220	20	95	Rechnungsnummer
5	1	1	1	3	2	500	300	80	20	95	4402
5	1	1	1	4	1	100	340	200	20	95	Rechnungsdatum
5	1	1	1	4	2	500	340	150	20	95	20.02.2026
5	1	1	1	5	1	100	500	180	20	95	Zwischensumme
5	1	1	1	5	2	500	500	90	20	95	100,00
5	1	1	1	6	1	100	540	30	20	95	19
5	1	1	1	6	2	140	540	20	20	95	%
5	1	1	1	6	3	170	540	80	20	95	MwSt.
5	1	1	1	6	4	500	540	90	20	95	19,00
5	1	1	1	7	1	100	580	180	20	95	Gesamtbetrag
5	1	1	1	7	2	500	580	90	20	95	119,00
5	1	1	1	7	3	600	580	40	20	95	EUR
`

// ocr is a program in the place of tesseract, which can be held up.
type ocr struct {
	t   *testing.T
	dir string
}

func newOCR(t *testing.T) *ocr {
	t.Helper()
	o := &ocr{t, t.TempDir()}
	script := `#!/bin/sh
dir='` + o.dir + `'
case "$1" in
--version) echo 'tesseract 5.3.0'; exit ;;
--list-langs) printf 'List of available languages (2):\ndeu\neng\n'; exit ;;
esac
cat >/dev/null
if [ -e "$dir/hold" ]; then
	echo held > "$dir/held"
	while kill -0 $PPID 2>/dev/null; do sleep 0.1; done
fi
cat "$dir/page.tsv"
`
	executable.Script(t, filepath.Join(o.dir, "tesseract"), script)
	o.write("page.tsv", pageTSV)
	must.OK(t, syscall.Mkfifo(filepath.Join(o.dir, "held"), 0o600))
	return o
}

func (o *ocr) write(name, text string) {
	o.t.Helper()
	must.OK(o.t, os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o600))
}

func (o *ocr) env() []string {
	return []string{"OCR=tesseract", "PATH=" + o.dir + ":" + os.Getenv("PATH")}
}

// A worker that dies leaves its message hidden until its lease ends, five
// minutes after the last heartbeat or as configured, and not for the queue's
// visibility timeout.
func TestKilledIngestion(t *testing.T) {
	t.Parallel()
	for set, lease := range map[string]time.Duration{"": 5 * time.Minute, "LEASE=2m": 2 * time.Minute} {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			comesBack(t, lease, set)
		})
	}
}

func comesBack(t *testing.T, lease time.Duration, set string) {
	t.Helper()
	engine := newOCR(t)
	o := newOffice(t, append(engine.env(), set)...)
	engine.write("hold", "")
	id := o.lay("scan.jpg", []byte(sampleFile(t, "scan.jpg"))).ID
	must.Get(os.ReadFile(filepath.Join(engine.dir, "held")))(t) // blocks until the OCR is at work
	must.OK(t, os.Remove(filepath.Join(engine.dir, "hold")))
	died := o.Clock.Now()
	if !o.ingest.Function.Kill(func(int) int { return 0 }) {
		t.Fatal("no process is at work")
	}
	o.finish()
	state := query[string](o.line, "SELECT status || ', attempt ' || attempts || ', ' || attempt_count || ' without a result' FROM ingestion WHERE id = $1", id)
	if state != "completed, attempt 2, 1 without a result" {
		t.Errorf("the ingestion is %s", state)
	}
	if took := o.Clock.Now().Sub(died); took < lease || took > lease+time.Minute {
		t.Errorf("it came back after %s, want its lease of %s", took, lease)
	}
}
