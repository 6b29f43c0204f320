package drill

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/postgres/ingestions"

	"github.com/google/uuid"
)

// reading is the workload of the ingest function: invoices, as texts and as scans. What is read is
// published for matching.
func reading() *workload {
	return &workload{
		Function: manifest.Ingest, workers: 2, portion: 4,
		about:    "document_id",
		contents: []string{"transcription_file_path", "structured_data", "fields"},
		results: `
SELECT i.id, 'document ' || d.id, concat_ws(', ', d.type, d.structured_data ->> 'number', d.structured_data ->> 'total', i.file_path,
	CASE WHEN i.needs_human_review THEN 'for a person' END)
FROM ingestion AS i JOIN document AS d ON d.id = i.document_id`,
		found: "documents read",
		env: func(l *line) []string {
			path := l.engine + ":" + os.Getenv("PATH") //nolint:forbidigo // the engine stands first in the function's own
			return []string{variable.BlobURL + "=" + blob.FolderURL(l.files), "OCR=tesseract", "PATH=" + path}
		},
		supply:  (*papers).invoices,
		publish: (*line).layFiles,
		checks: []check{
			{"files", "each file lies where its row says, unchanged, as do all checkpoints (blob store)", (*evidence).filed},
			{"pages", "no claim begun after a page's text was stored reads the page again (journal of the OCR)", (*evidence).readAgain},
		},
	}
}

// file is an invoice to be laid into the blob store.
type file struct {
	ingestion.Row
	invoice printed
	content []byte
}

// printed is an invoice as its page shows it.
type printed struct {
	number, supplier, order string
	net                     int
}

func (i printed) lines() [][2]string {
	money := func(cents int) string { return fmt.Sprintf("%d,%02d", cents/100, cents%100) }
	return [][2]string{{i.supplier, ""}, {"Rechnung", ""}, {"Rechnungsnummer", i.number}, {"Rechnungsdatum", "20.02.2026"},
		{"Bestellnummer", i.order}, {"Zwischensumme", money(100 * i.net)}, {"19 % MwSt.", money(19 * i.net)},
		{"Gesamtbetrag", money(119*i.net) + " EUR"}}
}

// text returns the page as plain text.
func (i printed) text() string {
	var b strings.Builder
	for _, l := range i.lines() {
		b.WriteString(strings.TrimSpace(l[0]+" "+l[1]) + "\n")
	}
	return b.String()
}

// words returns the page as tesseract reads it.
func (i printed) words() string {
	var b strings.Builder
	b.WriteString("level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n")
	for y, l := range i.lines() {
		for x, word := range strings.Fields(l[0] + " " + l[1]) {
			fmt.Fprintf(&b, "5\t1\t1\t1\t%d\t%d\t%d\t%d\t150\t20\t95\t%s\n", y+1, x+1, 100+200*x, 100+40*y, word)
		}
	}
	return b.String()
}

// answer returns the answer of a model that reads the page.
func (i printed) answer() string {
	type object = map[string]any
	lines := i.lines()
	field := func(value string, line int) object {
		return object{"value": value, "quote": strings.TrimSpace(lines[line][0] + " " + lines[line][1])}
	}
	decimal := func(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
	party := func(name any) object { return object{"name": name, "vat_id": nil, "iban": nil, "address": nil} }
	raw, err := json.Marshal(object{"confidence": "high", "missing_fields": []string{}, "documents": []object{{
		"type": "invoice", "pages": []int{1}, "number": field(i.number, 2), "date": field("2026-02-20", 3), "delivery_date": nil,
		"currency": field("EUR", 7), "buyer_reference": nil, "payee": object{"name": nil, "iban": nil},
		"subtotal": field(decimal(100*i.net), 5), "tax": field(decimal(19*i.net), 6), "total": field(decimal(119*i.net), 7),
		"prepaid": nil, "rounding": nil, "amount_due": nil, "supplier": party(field(i.supplier, 0)), "buyer": party(nil),
		"period": object{"from": nil, "to": nil}, "payment_terms": object{"due": nil, "text": nil},
		"references": []object{{"type": "purchase-order", "number": i.order, "quote": "Bestellnummer " + i.order}},
		"line_items": []object{}, "taxes": []object{}, "charges": []object{}}}})
	if err != nil {
		panic(err) // can't happen: strings and numbers only
	}
	return string(raw)
}

// invoices creates a file for every fourth document, and the order that it cites.
func (p *papers) invoices(documents int) (things []thing) {
	for i := range documents / 4 {
		tenant, company := p.tenant(), p.company()+" GmbH"
		order := p.add(tenant, document.PurchaseOrder, fmt.Sprintf("PO9%04d", i), company, i+documents, "05", "")
		p.things[manifest.Match.Name] = append(p.things[manifest.Match.Name], thing{id: order})
		invoice := printed{fmt.Sprintf("F%05d", i), company, fmt.Sprintf("PO9%04d", i), 1000 + i}
		content, extension := []byte(invoice.text()), "txt"
		if i%2 == 1 {
			content, extension = scan(i), "png"
		}
		f := file{ingestion.Identify(tenant, sha256.Sum256(content), extension), invoice, content}
		p.files[f.DocumentID], p.numbers[invoice.number] = f, f.DocumentID
		p.true[corpus.PairOf(order, f.DocumentID)] = true
		things = append(things, thing{f.DocumentID, true})
	}
	return things
}

// firstScan is the width of the first scan. The OCR knows a scan by its width.
const firstScan = 1000

func scan(i int) []byte {
	page := image.NewGray(image.Rect(0, 0, firstScan+i, 600))
	for at := range page.Pix {
		page.Pix[at] = 255
	}
	page.SetGray(100, 100, color.Gray{})
	var content bytes.Buffer
	if err := png.Encode(&content, page); err != nil {
		panic(err) // can't happen: in memory
	}
	return content.Bytes()
}

// layFiles lays files into the blob store, as a program that has them does.
func (l *line) layFiles(ctx context.Context, ids []uuid.UUID) error {
	store, err := blob.Open(ctx, blob.FolderURL(l.files), nil)
	if err != nil {
		return err
	}
	in := inbox.Inbox{Store: ingestions.New(l.DB), Files: store, Sender: l.lane(manifest.Ingest.Name).Queue,
		Log: slog.New(slog.DiscardHandler)}
	for _, id := range ids {
		f := l.papers.files[id]
		if _, err := in.Put(ctx, f.TenantID, f.invoice.number, f.content); err != nil {
			return err
		}
	}
	return nil
}

// engineScript stands for tesseract. It notes each page and its process by a
// file, and when the page's text had been stored, if it was.
const engineScript = `#!/bin/sh
dir=$(dirname "$0")
case "$1" in
--version) echo 'tesseract 5.3.0'; exit ;;
--list-langs) printf 'List of available languages (2):\ndeu\neng\n'; exit ;;
esac
read magic; read n height
cat >/dev/null
[ -n "$n" ] || exit # its process died before it gave the page
: > "$dir/calls/$n-$PPID-$$"
[ -e "$dir/stored-$n" ] && cp -p "$dir/stored-$n" "$dir/stored/$n-$PPID-$$"
cat "$dir/$n.tsv"
`

// installEngine writes the OCR and what it reads on each scan.
func (l *line) installEngine(parent string) (err error) {
	folder, err := os.MkdirTemp(parent, "engine-")
	if err != nil {
		return err
	}
	l.engine = folder
	if err := os.WriteFile(filepath.Join(folder, "tesseract"), []byte(engineScript), 0o700); err != nil {
		return err
	}
	for _, f := range l.papers.files {
		i, err := strconv.Atoi(f.invoice.number[1:])
		if err != nil {
			return err
		}
		words := os.WriteFile(filepath.Join(folder, fmt.Sprint(firstScan+i, ".tsv")), []byte(f.invoice.words()), 0o600)
		stored := filepath.Join(l.files, "ingestions", f.ID.String(), "transcription.json")
		if err := errors.Join(words, os.Symlink(stored, filepath.Join(folder, fmt.Sprint("stored-", firstScan+i)))); err != nil {
			return err
		}
	}
	return errors.Join(os.Mkdir(filepath.Join(folder, "calls"), 0o700), os.Mkdir(filepath.Join(folder, "stored"), 0o700))
}

// page is a call of the OCR.
type page struct {
	number  string // of the invoice
	process string
	at      time.Time
	stored  time.Time // its text, before the call; zero: never
}

// readPages reads the journal of the OCR.
func (l *line) readPages() (pages []page, err error) {
	calls, err := os.ReadDir(filepath.Join(l.engine, "calls"))
	for _, call := range calls {
		var width, pid int
		if _, err := fmt.Sscanf(call.Name(), "%d-%d-", &width, &pid); err != nil {
			return nil, fmt.Errorf("journal of the OCR: %w", err)
		}
		info, err := call.Info()
		if err != nil {
			return nil, err
		}
		p := page{number: fmt.Sprintf("F%05d", width-firstScan), process: fmt.Sprint(manifest.Ingest.Name, "-", pid), at: info.ModTime()}
		if stored, err := os.Stat(filepath.Join(l.engine, "stored", call.Name())); err == nil {
			p.stored = stored.ModTime()
		}
		pages = append(pages, p)
	}
	return pages, err
}

// storedFile has the files of a row.
type storedFile struct {
	ID, Document                uuid.UUID
	File, DocumentFile          string
	Transcription, Preprocessed string
}

const storedFilesSQL = `
SELECT i.id, i.document_id, coalesce(i.file_path, ''), coalesce(d.file_path, ''), coalesce(i.transcription_file_path, ''),
	coalesce(i.preprocessed_file_path, '')
FROM ingestion AS i JOIN document AS d ON d.id = i.document_id`

// readStore returns the digests of all files in the blob store.
func (l *line) readStore() (digests map[string][32]byte, err error) {
	digests = map[string][32]byte{}
	err = fs.WalkDir(os.DirFS(l.files), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(l.files, name))
		digests[name] = sha256.Sum256(content)
		return err
	})
	return digests, err
}

// filed expects one ingestion for each file laid, the same path in its document's row, the same
// bytes there, and a file for each checkpoint in a row.
func (e *evidence) filed() {
	rows := map[uuid.UUID]storedFile{}
	for _, r := range e.files {
		rows[r.Document] = r
		for _, key := range []string{r.Transcription, r.Preprocessed} {
			if _, stored := e.store[key]; key != "" && !stored {
				e.broken(r.ID, "its checkpoint %s is not in the blob store", key)
			}
		}
	}
	for _, f := range e.papers.files {
		r, known := rows[f.DocumentID]
		digest, stored := e.store[f.FilePath]
		switch {
		case !known:
			e.broken(f.ID, "file %s has no ingestion", f.invoice.number)
		case r.ID != f.ID || r.File != f.FilePath || r.DocumentFile != f.FilePath:
			e.broken(r.ID, "the row's file is %s, its document's %s, but %s was laid", r.File, r.DocumentFile, f.FilePath)
		case !stored || digest != sha256.Sum256(f.content):
			e.broken(r.ID, "%s is missing or changed", f.FilePath)
		}
	}
}

// readAgain allows what boughtAgain does: a process may have looked for the text before it was
// stored.
func (e *evidence) readAgain() {
	for _, p := range e.pages {
		about := e.papers.numbers[p.number]
		if !p.stored.IsZero() && e.claimedSince(subject{manifest.Ingest.Name, about}, p.process, p.stored, p.at) {
			e.broken(e.papers.files[about].ID, "%s read the page %s after its text was stored", p.process, p.at.Sub(p.stored))
		}
	}
}
