package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"

	"github.com/google/uuid"
)

// fakeStore hands out one document and its blocks in turn, and keeps what
// was written.
type fakeStore struct {
	doc                 Raw
	blocks              []Block // the first for Candidates; each write but the last finds the next one
	loads, reads, write error

	judged  []Block
	written []Decision
	saved   Normalized
	types   []document.Type
}

func (s *fakeStore) Load(context.Context, job.Fence) (Raw, error) { return s.doc, s.loads }

func (s *fakeStore) Candidates(_ context.Context, _ job.Fence, n Normalized, types []document.Type) (Block, error) {
	s.saved, s.types = n, types
	return s.next(), s.reads
}

func (s *fakeStore) Write(_ context.Context, _ job.Fence, _ Normalized, _ []document.Type, judged Block, d Decision) (*Block, error) {
	s.judged, s.written = append(s.judged, judged), append(s.written, d)
	if s.write != nil || len(s.blocks) == 0 {
		return nil, s.write
	}
	fresh := s.next()
	return &fresh, nil
}

func (s *fakeStore) next() (b Block) {
	if len(s.blocks) > 0 {
		b, s.blocks = s.blocks[0], s.blocks[1:]
	}
	return b
}

func raw(typ document.Type, data string) Raw {
	return Raw{ID: uuid.New(), TenantID: tenantA, Type: typ, Data: data}
}

const (
	invoice45 = `{"number":"RE-1","supplier":{"vat_id":"DE1"},"references":[{"type":"purchase-order","number":"45"}]}`
	order45   = `{"number":"45","supplier":{"vat_id":"DE1"}}`
)

// run matches and returns what was logged.
func run(s *fakeStore) (string, error) {
	var log bytes.Buffer
	m := &Matcher{Store: s, Log: slog.New(slog.NewJSONHandler(&log, nil))}
	err := m.Match(context.Background(), job.Fence{ID: s.doc.ID, Attempt: 1})
	return log.String(), err
}

func TestMatchWritesTheDecision(t *testing.T) {
	t.Parallel()
	order := raw(document.PurchaseOrder, order45)
	s := &fakeStore{doc: raw(document.Invoice, invoice45), blocks: []Block{{Candidates: []Raw{order}}}}
	log, err := run(s)
	if err != nil || log != "" {
		t.Fatalf("error %v, log %s", err, log)
	}
	if len(s.written) != 1 || len(s.written[0].Matches) != 1 || len(s.written[0].Suggestions) != 0 {
		t.Fatalf("got %+v, want one match", s.written)
	}
	if !slices.Equal(s.types, Matchable(document.Invoice)) || !slices.Equal(s.saved.Keys, []string{"aaaaaaaa|invoice|RE1", "aaaaaaaa|purchase-order|45"}) {
		t.Errorf("candidates were looked up by %v and %q", s.types, s.saved.Keys)
	}
}

func TestFenceLostPassesThrough(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("store: %w", job.ErrFenceLost)
	for name, s := range map[string]*fakeStore{
		"load":       {loads: lost},
		"candidates": {reads: lost},
		"write":      {write: lost},
	} {
		s.doc = raw(document.Invoice, invoice45)
		if _, err := run(s); !errors.Is(err, job.ErrFenceLost) {
			t.Errorf("%s: got %v, want fence lost", name, err)
		}
	}
}

func TestUnreadableDataFailsForGoodWithoutItsValues(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"no JSON":     `{"notes":"SECRET`,
		"wrong shape": `{"number":{"SECRET":1}}`,
		"no amount":   `{"total":"SECRET"}`,
		"no date":     `{"date":"SECRET"}`,
		"too large":   "", // the store's word for it
	} {
		s := &fakeStore{doc: raw(document.Invoice, data)}
		log, err := run(s)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		f := failure.Of(err)
		if f.Kind != failure.Permanent || !strings.HasPrefix(f.Text, "structured data: ") {
			t.Errorf("%s: got %s, %q", name, f.Kind, f.Text)
		}
		if strings.Contains(f.Text+err.Error()+log, "SECRET") {
			t.Errorf("%s: the value is in %q or %q", name, f.Text, log)
		}
		if len(s.written) > 0 {
			t.Errorf("%s: wrote %+v", name, s.written)
		}
	}
}

func TestChangedCandidatesAreJudgedAgain(t *testing.T) {
	t.Parallel()
	order := raw(document.PurchaseOrder, order45)
	blocks := []Block{{}, {Candidates: []Raw{order}}, {Candidates: []Raw{order}, Partners: []uuid.UUID{order.ID}}}
	s := &fakeStore{doc: raw(document.Invoice, invoice45), blocks: slices.Clone(blocks)}
	if _, err := run(s); err != nil {
		t.Fatal(err)
	}
	var matches []int
	for i, judged := range s.judged {
		matches = append(matches, len(s.written[i].Matches))
		if !slices.Equal(judged.Candidates, blocks[i].Candidates) || !slices.Equal(judged.Partners, blocks[i].Partners) {
			t.Errorf("round %d: judged %+v, want %+v", i, judged, blocks[i])
		}
	}
	if !slices.Equal(matches, []int{0, 1, 1}) {
		t.Errorf("got matches %v by round, want 0, 1, 1", matches)
	}
}

func TestCandidatesThatKeepChangingAreATransientFailure(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		changes, rounds int
		fails           bool
	}{{9, 10, false}, {10, 10, true}, {20, 10, true}} {
		s := &fakeStore{doc: raw(document.Invoice, invoice45), blocks: make([]Block, 1+tc.changes)}
		_, err := run(s)
		if (err != nil) != tc.fails || err != nil && failure.Of(err).Kind != failure.Transient || len(s.written) != tc.rounds {
			t.Errorf("%d changes: error %v after %d rounds, want %d", tc.changes, err, len(s.written), tc.rounds)
		}
	}
}

func TestCandidateThatCannotBeReadIsSkipped(t *testing.T) {
	t.Parallel()
	s := &fakeStore{doc: raw(document.Invoice, invoice45), blocks: []Block{{Candidates: []Raw{
		raw(document.PurchaseOrder, `{"total":"SECRET"}`), raw(document.PurchaseOrder, ""), raw(document.PurchaseOrder, order45),
		raw(document.OrderConfirmation, order45), // a type that was not asked for
	}}}}
	if _, err := run(s); err != nil {
		t.Fatal(err)
	}
	if d := s.written[0]; len(d.Matches) != 1 || len(d.Suggestions) != 0 {
		t.Errorf("got %+v, want the match with the order", d)
	}
}

func TestDocumentWithoutACounterpartyStaysAlone(t *testing.T) {
	t.Parallel()
	s := &fakeStore{doc: raw(document.Invoice, `{"number":"SECRET","notes":"SECRET","references":[{"type":"purchase-order","number":"45"}]}`),
		blocks: []Block{{Candidates: []Raw{raw(document.PurchaseOrder, order45)}}}}
	log, err := run(s)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.written) != 1 || len(s.written[0].Matches) != 0 {
		t.Errorf("wrote %+v, want no matches", s.written)
	}
	if !strings.Contains(log, `"level":"WARN"`) || !strings.Contains(log, s.doc.ID.String()) || strings.Contains(log, "SECRET") {
		t.Errorf("logged %s", log)
	}
}

func TestDecideByScore(t *testing.T) {
	t.Parallel()
	const inv, gr, po, dn = document.Invoice, document.GoodsReceipt, document.PurchaseOrder, document.DeliveryNote
	const supplier, ref = `"supplier":{"name":"Acme","iban":"X1"}`, `"references":[{"type":"purchase-order","number":"45"}]`
	const pen = `"line_items":[{"sku":"pen","quantity":"1"}]`
	for _, tc := range []struct {
		name  string
		cType document.Type
		c     string
		want  string // match, nothing, or how the suggestion begins
	}{
		{"0.75 is a match", gr, `{"subtotal":"5",` + supplier + `,` + ref + `}`, "match"},
		{"0.60 is undecided", gr, `{` + supplier + `,` + ref + `}`, "Undecided. "},
		{"0.50 is undecided", dn, `{` + supplier + `,` + pen + `}`, "Undecided. "},
		{"0.45 is nothing", dn, `{"subtotal":"5",` + supplier + `}`, "nothing"},
		{"a veto against a citation is told", po, `{"number":"45","currency":"USD",` + supplier + `}`, "Not matched. "},
		{"a veto alone is not", po, `{"number":"46","currency":"USD",` + supplier + `}`, "nothing"},
	} {
		d := decide(parsed(t, inv, `{"currency":"EUR","subtotal":"5",`+supplier+`,`+ref+`,`+pen+`}`), []Raw{raw(tc.cType, tc.c)})
		got := "nothing"
		switch {
		case len(d.Matches) == 1 && len(d.Suggestions) == 0:
			got = "match"
		case len(d.Suggestions) == 1 && len(d.Matches) == 0:
			got = d.Suggestions[0].Reasoning
			if strings.HasPrefix(got, tc.want) {
				got = tc.want
			}
		}
		if got != tc.want {
			t.Errorf("%s: got %q, want %q: %+v", tc.name, got, tc.want, d)
		}
	}
}
