package ingest_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"matchbook/lambda/blob"
	"matchbook/lambda/cli/explain"
	"matchbook/lambda/ingest"
	"matchbook/lambda/ingest/ingestion"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/llm"
	"matchbook/lambda/postgres"
	"matchbook/lambda/postgres/ingestions"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// Layouts that the rules misread. A row has its cells with their places in points, to the left of
// the text or, negative, to its right. A line more in the second invoice moves the sums.
const (
	vorgang = `

57:Hanse Kontor GmbH | 380:Vorgang | -538:{no}
57:Deichweg 4 | 380:Kunde | -538:40127
57:20457 Hamburg | 380:Datum | -538:{date}

57:Rechnung

57:Pos | 90:Bezeichnung | -350:Menge | -440:Preis | -538:Betrag
57:1 | 90:Modell A | -350:10 | -440:64,00 | -538:640,00
57:2 | 90:Modell B | -350:4 | -440:90,00 | -538:360,00
{more}
57:Nettobetrag | -538:{net}
57:USt 19 % | -538:{tax}
57:Gesamtbetrag EUR | -538:{gross}

57:USt-IdNr. DE814562308 | 300:IBAN DE34 2005 0550 1234 5678 90`
	yearToDate = `
57:Brightwater Utilities Ltd | 400:www.brightwater.example
57:14 Quay Street, Bristol BS1 4QA

57:Harbour Trading Ltd
57:3 Mill Lane
57:Leeds LS1 1AA

57:Invoice No. {no}
57:Date {date}

57:This period
57:Subtotal | -538:{net}
57:VAT 20% | -538:{tax}
57:To collect | -538:{gross}

57:Year to date
57:Subtotal | -538:3,000.00
57:VAT 20% | -538:600.00
57:Total | -538:3,600.00

57:All amounts in GBP`
	tabella = `
57:Officina Serra | 400:www.officinaserra.example
57:Via Po 12 - 10121 Torino

330:Fatture Riunite SpA
330:Corso Roma 3
330:20121 Milano

57:Documento | 160:Emesso | 260:Codice
57:{no} | 160:{date} | 260:C-19

57:FATTURA

57:Descrizione | -350:Quantita | -440:Prezzo | -538:Importo
57:Modello A | -350:10 | -440:64,00 | -538:640,00
57:Modello B | -350:4 | -440:90,00 | -538:360,00
{more}
57:Imponibile | -538:{net}
57:IVA 22 % | -538:{tax}
57:Totale EUR | -538:{gross}

57:P.IVA IT00743110157`
	unlabelled = `
57:Atelier Brun SARL | 430:{no}
57:8 rue des Lilas, 69003 Lyon

57:FACTURE | 430:{date}

57:Subtotal | -538:{net}
57:TVA 20 % | -538:{tax}
57:Total CAD | -538:{gross}

57:IBAN FR14 2004 1010 0505 0001 3M02 606`
)

// bench reads files with a store in PostgreSQL, as the function does.
type bench struct {
	t    *testing.T
	db   *postgres.DB
	conn *pgx.Conn
	in   *ingest.Ingester
}

func newBench(t *testing.T) *bench {
	t.Helper()
	url := postgrestest.URL(t)
	b := &bench{t, postgrestest.Open(t, url), postgrestest.Conn(t, url), nil}
	b.in = &ingest.Ingester{Store: ingestions.New(b.db), Blobs: must.Get(blob.Open(t.Context(), "file://"+t.TempDir(), nil))(t),
		PDFs: must.Get(parser())(t), NoOCR: "OCR=none", Sender: nobody{}, Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return today }}
	return b
}

// read reads a file of a tenant, once more if it is known, and returns its document.
func (b *bench) read(tenant uuid.UUID, content []byte) uuid.UUID {
	b.t.Helper()
	ctx, store := b.t.Context(), ingestions.New(b.db)
	row := ingestion.Identify(tenant, sha256.Sum256(content), "pdf")
	must.OK(b.t, b.in.Blobs.Write(ctx, row.FilePath, bytes.NewReader(content)))
	if known := must.Get(store.AddFile(ctx, row))(b.t); len(known) == 0 {
		must.Get(store.Publish(ctx, []uuid.UUID{row.ID}))(b.t)
	}
	claims := must.Get(store.Claim(ctx, []job.Delivery{{ID: row.ID, Count: 1}}, time.Minute, true))(b.t)
	must.OK(b.t, b.in.Ingest(ctx, claims[0].Attempt))
	return row.DocumentID
}

// row is everything that the ingestion of a document stored.
func (b *bench) row(doc uuid.UUID) string {
	b.t.Helper()
	return postgrestest.Value[string](b.t, b.conn, `SELECT jsonb_build_array(document_type, structured_data, fields, pages, valid_structured_data,
		needs_human_review, review_reasons, page_account, printed_lines)::text FROM ingestion WHERE document_id = $1`, doc)
}

// result is the important part of it.
func (b *bench) result(doc uuid.UUID) string {
	b.t.Helper()
	return postgrestest.Value[string](b.t, b.conn, `SELECT trim(concat_ws(' ', document_type, structured_data ->> 'number', structured_data ->> 'date',
		structured_data #>> '{supplier,name}', structured_data ->> 'total', CASE WHEN needs_human_review THEN 'PERSON' END,
		array_to_string(review_reasons, '; '))) FROM ingestion WHERE document_id = $1`, doc)
}

// correct returns what was learned.
func (b *bench) correct(doc uuid.UUID, assignments string) (said string) {
	b.t.Helper()
	r, _, err := explain.NewReader(b.t.Context(), b.db).Correct(doc.String(), "Ada", strings.Split(assignments, "; "), ingestions.New(b.db))
	must.OK(b.t, err)
	for _, l := range r.Lessons {
		said += strings.TrimSpace(l.Field+" "+l.Learned+l.Why) + "\n"
	}
	return said
}

// list returns what corrections taught a tenant.
func (b *bench) list(tenant uuid.UUID) []ingestions.TaughtRow {
	return must.Get(ingestions.New(b.db).ListTaught(b.t.Context(), tenant))(b.t)
}

// letter prints a layout with values: "no=A-1; gross=119,00".
func letter(layout, values string) []byte {
	for v := range strings.SplitSeq(values+"; more=", "; ") {
		name, value, _ := strings.Cut(v, "=")
		layout = strings.ReplaceAll(layout, "{"+name+"}", value)
	}
	var page []piece
	for i, row := range strings.Split(layout, "\n") {
		for cell := range strings.SplitSeq(row, " | ") {
			at, text, _ := strings.Cut(cell, ":")
			x, _ := strconv.ParseFloat(at, 64)
			page = append(page, piece{x: max(x, -x), y: 60 + 18*float64(i), size: 9, right: x < 0, text: text})
		}
	}
	return printedPDF([][]piece{page})
}

// Invoices of the layouts.
const (
	vorgang1 = "no=2026-0771; date=03.03.2026; net=1.000,00; tax=190,00; gross=1.190,00"
	vorgang2 = "no=2026-0802; date=20.03.2026; net=1.500,00; tax=285,00; gross=1.785,00; " +
		"more=57:3 | 90:Modell C | -350:1 | -440:500,00 | -538:500,00"
)

// Written by hand from the layouts.
func TestSecondNeedsNoPerson(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ layout, first, read, corrections, learned, second, want string }{
		"a logo, and a label of its own": {vorgang, vorgang1,
			"invoice 2026-03-03 1190 PERSON the number is missing; a document of type invoice needs it; " +
				"the supplier's name is missing; a document of type invoice needs it",
			"number=2026-0771; supplier.name=Lampenwerk Nord",
			"number right of \"vorgang\"\nsupplier.name the name Lampenwerk Nord\n", vorgang2,
			"invoice 2026-0802 2026-03-20 Lampenwerk Nord 1785"},
		"a label for another number": {strings.Replace(vorgang, "57:Rechnung", "57:Rechnung Nr. 7", 1), vorgang1,
			"invoice 7 2026-03-03 1190 PERSON the supplier's name is missing; a document of type invoice needs it",
			"number=2026-0771; supplier.name=Lampenwerk Nord",
			"number right of \"vorgang\"\nsupplier.name the name Lampenwerk Nord\n", vorgang2,
			"invoice 2026-0802 2026-03-20 Lampenwerk Nord 1785"},
		"a total that nothing proves": {"57:Huber Optik GmbH\n57:Rechnung Nr. {no}\n57:Datum {date}\n57:Brille 300,00\n" +
			"57:Kassenanteil | -538:{net}\n57:Ihr Anteil EUR | -538:{gross}\n57:USt-IdNr. DE814562308",
			"no=77; date=03.03.2026; net=181,00; gross=119,00",
			"invoice 77 2026-03-03 Huber Optik GmbH PERSON the total is missing; a document of type invoice needs it",
			"total=119.00", "total right of \"ihr anteil eur\"\n", "no=78; date=04.03.2026; net=150,00; gross=150,00",
			"invoice 78 2026-03-04 Huber Optik GmbH 150"},
		"a greater total": {yearToDate, "no=BW-1001; date=3 March 2026; net=1,000.00; tax=200.00; gross=1,200.00",
			"invoice BW-1001 2026-03-03 Brightwater Utilities Ltd 3600", "total=1200", "total right of \"to collect\"\n",
			"no=BW-1187; date=31 March 2026; net=850.00; tax=170.00; gross=1,020.00",
			"invoice BW-1187 2026-03-31 Brightwater Utilities Ltd 1020"},
		"a head above": {tabella, "no=118/26; date=04/03/2026; net=1.000,00; tax=220,00; gross=1.220,00",
			"invoice 2026-03-04 Officina Serra 1220 PERSON the number is missing; a document of type invoice needs it",
			"number=118/26", "number below \"documento\"\n",
			"no=1204/26; date=11/03/2026; net=1.500,00; tax=330,00; gross=1.830,00; " +
				"more=57:Modello C | -350:1 | -440:500,00 | -538:500,00",
			"invoice 1204/26 2026-03-11 Officina Serra 1830"},
		"no label, and the month first": {unlabelled, "no=AB-1001; date=03/04/2026; net=1,000.00; tax=200.00; gross=1,200.00",
			"invoice Atelier Brun SARL 1200 PERSON the number is missing; a document of type invoice needs it; " +
				"the date is missing; a document of type invoice needs it",
			"number=AB-1001; date=2026-03-04", "date right of \"facture\"\nnumber right of \"atelier brun sarl\"\n",
			"no=AB-998; date=01/12/2026; net=1,500.00; tax=300.00; gross=1,800.00", "invoice AB-998 2026-01-12 Atelier Brun SARL 1800"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			ours, theirs, first, second := uuid.New(), uuid.New(), letter(c.layout, c.first), letter(c.layout, c.second)
			want := func(what, got, want string) {
				t.Helper()
				if got != want {
					t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
				}
			}
			doc := b.read(ours, first)
			want("the first", b.result(doc), c.read)
			old := b.row(b.read(theirs, second))
			want("learned", b.correct(doc, c.corrections), c.learned)
			again := b.read(ours, second)
			want("the second", b.result(again), c.want)
			known := b.row(again)
			want("the second, read again", b.row(b.read(ours, second)), known)
			want("another tenant's", b.row(b.read(theirs, second)), old)
			for _, r := range b.list(ours) {
				if r.Person != "Ada" || !must.Get(ingestions.New(b.db).Forget(t.Context(), ours, r.ID))(t) {
					t.Errorf("%+v was not forgotten", r)
				}
			}
			want("forgotten", b.row(b.read(ours, second)), old)
		})
	}
}

// A rule that fails is forgotten with its reason, and reading the same file again says so again.
func TestFailedRuleIsForgotten(t *testing.T) {
	t.Parallel()
	const taught, period = "number=2026-0771; supplier.name=Lampenwerk Nord", "net=850.00; tax=170.00; gross=1,021.00"
	const missing = "invoice 2026-03-20 Lampenwerk Nord 1785 PERSON the number is missing; a document of type invoice needs it; "
	for name, c := range map[string]struct{ layout, from, to, corrections, second, field, why, want string }{
		"another label": {vorgang, ":Vorgang", ":Akte", taught, vorgang2, "number", "nothing stands there", missing},
		"another shape": {vorgang, "{no}", "0802 von 26", taught, vorgang2, "number", "nothing stands there", missing},
		"twice, and different": {vorgang, "Kunde | -538:40127", "Vorgang | -538:2026-0555", taught, vorgang2, "number",
			"several values stand there", missing},
		"in the future": {vorgang, "{date}", "20.06.2026", taught + "; date=2026-03-03", vorgang2, "date", "the date is in the future",
			"invoice 2026-0802 2026-06-20 Lampenwerk Nord 1785 PERSON the date is in the future; "},
		"a subtotal disagrees": {vorgang, "-538:{gross}", "-538:1.786,00", taught + "; subtotal=1000", vorgang2, "subtotal",
			"subtotal 1500.00 and tax 0.00 add up to 1500.00, not to the total 1786.00", "invoice 2026-0802 2026-03-20 Lampenwerk Nord 1786 " +
				"PERSON nothing printed adds up to the total 1786.00; the lines and charges add up to 1500.00, not to the subtotal 1786.00; "},
		"sums disagree": {yearToDate, "", "", "total=1200", "no=BW-1187; date=31 March 2026; " + period, "total",
			"subtotal 3000.00 and tax 600.00 add up to 3600.00, not to the total 1021.00",
			"invoice BW-1187 2026-03-31 Brightwater Utilities Ltd 3600 PERSON "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, tenant, first, source := newBench(t), uuid.New(), vorgang1, "invoice 2026-0771"
			if c.layout == yearToDate {
				first, source = "no=BW-1001; date=3 March 2026; net=1,000.00; tax=200.00; gross=1,200.00", "invoice BW-1001"
			}
			b.correct(b.read(tenant, letter(c.layout, first)), c.corrections)
			changed := letter(strings.Replace(c.layout, c.from, c.to, 1), c.second)
			again := b.read(tenant, changed)
			var forgotten []string
			for _, r := range b.list(tenant) {
				if !r.ForgottenAt.IsZero() {
					forgotten = append(forgotten, r.Field+": "+r.ForgottenWhy)
				}
			}
			if got := strings.Join(forgotten, "; "); got != c.field+": "+c.why {
				t.Errorf("forgotten: got %s, want %s: %s", got, c.field, c.why)
			}
			want := fmt.Sprintf("%sthe place of the %s, taught by the correction of %s on %s, is forgotten: %s", c.want,
				c.field, source, time.Now().UTC().Format(time.DateOnly), c.why)
			if got := b.result(again); got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			if row := b.row(again); b.row(b.read(tenant, changed)) != row {
				t.Errorf("read again: got %s, want %s", b.row(again), row)
			}
			if third := b.read(tenant, letter(c.layout, strings.Replace(c.second, "date=", "date=0", 1))); strings.Contains(b.result(third), "forgotten") {
				t.Errorf("the third: got %s", b.result(third))
			}
		})
	}
}

// A rule is its supplier's alone, and an id of ours is nobody's.
func TestNoOtherSupplierLearns(t *testing.T) {
	t.Parallel()
	const taught = "number=2026-0771; supplier.name=Lampenwerk Nord"
	other := strings.NewReplacer("DE814562308", "DE294711836", "DE34 2005 0550 1234 5678 90", "DE62 3704 0044 0532 0137 77")
	for name, c := range map[string]struct {
		layout string
		before func(b *bench, tenant uuid.UUID)
	}{
		"another VAT id and account": {other.Replace(vorgang), nil},
		"another VAT id":             {strings.ReplaceAll(vorgang, "DE814562308", "DE294711836"), nil},
		"neither":                    {strings.NewReplacer("DE814562308", "", "IBAN DE34 2005 0550 1234 5678 90", "").Replace(vorgang), nil},
		"only the account, as a factor's invoice": {strings.NewReplacer("USt-IdNr. DE814562308", "Danke").Replace(
			strings.ReplaceAll(vorgang, "Vorgang", "Akte")), func(b *bench, tenant uuid.UUID) {
			postgrestest.Exec(b.t, b.conn, "DELETE FROM taught WHERE field <> 'supplier.name'")
		}},
		"it has become our own": {vorgang, func(b *bench, tenant uuid.UUID) {
			must.OK(b.t, ingestions.New(b.db).AddOwnCompany(b.t.Context(), tenant, "Lampenwerk Nord", "DE814562308"))
			postgrestest.Exec(b.t, b.conn, "UPDATE taught SET keys = '{vat:DE814562308}'")
		}},
		"taught without a VAT id": {vorgang, func(b *bench, _ uuid.UUID) {
			postgrestest.Exec(b.t, b.conn, "UPDATE taught SET keys = '{iban:DE34200505501234567890}'")
		}},
		"two suppliers of one account": {strings.ReplaceAll(vorgang, "USt-IdNr. DE814562308", "Danke"), func(b *bench, tenant uuid.UUID) {
			doc := b.read(tenant, letter(strings.ReplaceAll(vorgang, "DE814562308", "DE294711836"), vorgang1))
			b.correct(doc, "number=2026-0771; supplier.name=Glaswerk Süd")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, tenant := newBench(t), uuid.New()
			b.correct(b.read(tenant, letter(vorgang, vorgang1)), taught)
			if c.before != nil {
				c.before(b, tenant)
			}
			second := letter(c.layout, vorgang2)
			got := b.result(b.read(tenant, second))
			if strings.Contains(got, "Lampenwerk") || strings.Contains(got, "forgotten") || !strings.Contains(got, "the number is missing") {
				t.Errorf("got %s", got)
			}
		})
	}
}

func TestUnprintedTeachesNothing(t *testing.T) {
	t.Parallel()
	const keyless = "no VAT id, IBAN or letterhead tells the supplier's documents from others"
	plain := strings.NewReplacer("DE814562308", "", "IBAN DE34 2005 0550 1234 5678 90", "").Replace(vorgang)
	for name, c := range map[string]struct{ layout, before, correction, want string }{
		"a number":                {vorgang, "", "number=2026-0772", "number it is not printed on the pages\n"},
		"a part of a number":      {vorgang, "", "number=0771", "number it is not printed on the pages\n"},
		"a total":                 {vorgang, "", "total=118.00", "total it is not printed on the pages\n"},
		"a removed date":          {vorgang, "", "date=", "date it has no value\n"},
		"a supplier without keys": {plain, "", "number=2026-0771", "number " + keyless + "\n"},
		"our own name": {vorgang, "INSERT INTO own_company (tenant_id, name) SELECT tenant_id, 'Lampenwerk Nord' FROM document",
			"supplier.name=Lampenwerk Nord", "supplier.name it is one of our own companies\n"},
		"a file read before": {vorgang, "UPDATE ingestion SET printed_lines = NULL", "number=2026-0771",
			"number the places on its pages are not known; publish its file again first\n"},
		"an account": {vorgang, "", "supplier.iban=DE62370400440532013777", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, tenant := newBench(t), uuid.New()
			doc := b.read(tenant, letter(c.layout, vorgang1))
			if c.before != "" {
				postgrestest.Exec(t, b.conn, c.before)
			}
			if got := b.correct(doc, c.correction); got != c.want || len(b.list(tenant)) != 0 {
				t.Errorf("got %q and %v, want %q", got, b.list(tenant), c.want)
			}
		})
	}
}

// What a person taught holds whatever a model answers, and costs no second question.
func TestModelIsTaught(t *testing.T) {
	t.Parallel()
	b, tenant := newBench(t), uuid.New()
	file := func(number, day string) []byte {
		return []byte("Sommer GmbH www.sommer.example\n\nRechnung\nVorgang " + number + " Kunde Nr. 40127\nDatum " + day + "\n\nNetto 100,00 EUR\n" +
			"MwSt. 19 % 19,00 EUR\nBrutto 119,00 EUR\n\nDanke")
	}
	model := &answers{}
	for _, day := range []string{"20.02.2026", "21.02.2026"} {
		model.list = append(model.list, answered(invoiceOf(t, "40127", day, "100.00", "19.00", "119.00")))
	}
	b.in.Model = &llm.Asker{Model: model, Vault: forgets{}, Retry: llm.Retry{Tries: 1}}
	doc := b.read(tenant, file("771", "20.02.2026"))
	if got, want := b.result(doc), "invoice 40127 2026-02-20 Sommer GmbH 119"; got != want {
		t.Errorf("the first: got %s, want %s", got, want)
	}
	if got, want := b.correct(doc, "number=771"), "number behind \"vorgang\"\n"; got != want {
		t.Errorf("learned: got %q, want %q", got, want)
	}
	again := b.read(tenant, file("772", "21.02.2026"))
	if got, want := b.result(again), "invoice 772 2026-02-21 Sommer GmbH 119"; got != want || len(model.asked) != 2 {
		t.Errorf("the second: got %s with %d questions, want %s", got, len(model.asked)-1, want)
	}
	if b.correct(again, "number=772"); len(b.list(tenant)) != 1 {
		t.Errorf("got %v, want the newer rule alone", b.list(tenant))
	}
}
