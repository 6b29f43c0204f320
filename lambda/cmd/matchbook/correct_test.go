package main

import (
	"encoding/json"
	"strings"
	"testing"

	"matchbook/lambda/cli"
	"matchbook/lambda/cli/clitest"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

const correctedID = "10000000-0000-4000-8000-000000000501"

// correctRig is a rig with one invoice.
type correctRig struct{ *failedRig }

func newCorrectRig(t *testing.T, sends func() bool) correctRig {
	t.Helper()
	r := correctRig{newFailedRig(t, sends)}
	postgrestest.Exec(t, r.conn, `WITH t AS (INSERT INTO tenant (id, name) VALUES ($2, 'one'))
		INSERT INTO document (id, tenant_id, type, structured_data, matching_due_at)
		VALUES ($1, $2, 'invoice', '{"number": "R-1", "total": "118.00", "buyer": {"iban": "DE1"}, "line_items": [{"amount": "1"}]}', NULL)`,
		correctedID, oneTenant)
	return r
}

func (r correctRig) correct(args ...string) (code int, out, errOut string) {
	r.t.Helper()
	return r.command(r.t.Context(), append([]string{"correct"}, args...)...)
}

func (r correctRig) data() string {
	r.t.Helper()
	return postgrestest.Value[string](r.t, r.conn, "SELECT type || ' ' || structured_data FROM document")
}

//nolint:paralleltest // the SDK reads the process's own environment
func TestCorrect(t *testing.T) {
	r := newCorrectRig(t, always)
	code, out, errOut := r.correct("R-1", "total=119,00", "type=credit-note", "supplier.name=Lampenwerk", "buyer.iban=",
		"line_items.1.amount=2", "line_items.0.amount=1", "notes=")
	want := `credit note R-1  10000000-0000-4000-8000-000000000501
  total                    118.00 -> 119
  type                     invoice -> credit-note
  supplier.name            (none) -> Lampenwerk
  buyer.iban               DE1 -> (removed)
  line_items.1.amount      (none) -> 2
  line_items.0.amount      1 -> 1
  notes                    (none) -> (removed)
stored, and published for matching
`
	if code != cli.ExitOK || out != want {
		t.Errorf("exit status %d, got\n%s%s\nwant\n%s", code, out, errOut, want)
	}
	want = `credit-note {"buyer": {}, "total": "119", "number": "R-1", "supplier": {"name": "Lampenwerk"}, "line_items": [{"amount": "1"}, {"amount": "2"}]}`
	if data := r.data(); data != want {
		t.Errorf("got %s, want %s", data, want)
	}
	if got := clitest.Receive(t, r.client, r.queueURL); len(got) != 1 || got[0] != correctedID {
		t.Errorf("received %v, want the document's id", got)
	}
	code, out, _ = r.correct(correctedID, "number=R-2", "--json")
	var got any
	if err := json.Unmarshal([]byte(out), &got); code != cli.ExitOK || err != nil {
		t.Fatalf("exit status %d, %v, %s", code, err, out)
	}
	compact, _ := json.Marshal(got)
	if want := `{"changes":[{"before":"R-1","field":"number","now":"R-2"}],"document":{"id":"` + correctedID + `","number":"R-2","type":"credit-note"}}`; string(compact) != want {
		t.Errorf("got %s, want %s", compact, want)
	}
}

//nolint:paralleltest // the SDK reads the process's own environment
func TestCorrectRefusals(t *testing.T) {
	r := newCorrectRig(t, always)
	before := r.data()
	clitest.WantRefused(t, r.correct, clitest.Refusals{
		{[]string{"R-1"}, "missing FIELD=VALUE"},
		{[]string{"R-1", "total"}, `invalid correction "total": expected FIELD=VALUE, such as total=119.00`},
		{[]string{"R-1", "number=R-3", "total=1,500"}, "total: invalid amount: expected a plain decimal"},
		{[]string{"R-1", "number=R-3", "sum=1"}, `unknown field "sum"; the fields of a document are amount_due, buyer, `},
		{[]string{"R-1", "sum="}, `unknown field "sum"; the fields of a document are amount_due, buyer, `},
		{[]string{"R-1", "number=R-3", "number=R-4"}, "duplicate correction of number"},
		{[]string{"R-1", "type="}, "type: must not be empty; set another type"},
		{[]string{"R-1", "type=memo"}, `unknown document type "memo"`},
		{[]string{"R-1", "line_items.2.amount=1"}, "invalid item line_items.2.amount: the document has 1 line_items, counted from 0"},
		{[]string{"R-9", "total=1"}, `document not found: no ID, number or file name "R-9"`},
		{[]string{uuid.NewString(), "total=1"}, "document not found"},
	})
	if after := r.data(); after != before {
		t.Errorf("got %s, want %s", after, before)
	}
	if got := clitest.Receive(t, r.client, r.queueURL); len(got) != 0 {
		t.Errorf("received %v", got)
	}
}

//nolint:paralleltest // the SDK reads the process's own environment
func TestCorrectUnsent(t *testing.T) {
	r := newCorrectRig(t, func() bool { return false })
	clitest.WantRefused(t, r.correct, clitest.Refusals{{[]string{"R-1", "total=119.00"}, "correction stored: "}})
	if data := r.data(); !strings.Contains(data, `"total": "119"`) {
		t.Errorf("got %s", data)
	}
}
