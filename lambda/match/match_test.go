package match

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"

	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/job"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// fakeStore hands out one document and its blocks in turn, and keeps what
// was written.
type fakeStore struct {
	doc                 score.Raw
	blocks              []Block // the first for Candidates; each write but the last finds the next one
	loads, reads, write error
	lost                string // the step that finds the fence lost

	drafts []Draft // of each write
	saved  []Draft // of each write and each read of candidates
	fences []job.Attempt
}

func (s *fakeStore) Load(_ context.Context, fences []job.Attempt) (map[job.Attempt]score.Raw, error) {
	s.fences = append(s.fences, fences...)
	if s.lost == "load" {
		return nil, nil
	}
	return map[job.Attempt]score.Raw{fences[0]: s.doc}, s.loads
}

func (s *fakeStore) Candidates(_ context.Context, drafts []*Draft) (map[job.Attempt]Block, error) {
	s.fences, s.saved = append(s.fences, drafts[0].Fence), append(s.saved, *drafts[0])
	if s.lost == "read candidates" {
		return nil, nil
	}
	return map[job.Attempt]Block{drafts[0].Fence: s.next()}, s.reads
}

func (s *fakeStore) Write(_ context.Context, t Turn) (Written, error) {
	d := *t.Drafts[0]
	s.fences, s.saved, s.drafts = append(s.fences, d.Fence), append(s.saved, d), append(s.drafts, d)
	if s.write != nil || len(s.blocks) == 0 || d.Release != nil {
		return Written{}, s.write
	}
	fresh := s.next()
	return Written{Left: map[uuid.UUID]Left{d.Fence.ID: {Fresh: &fresh}}}, nil
}

func (s *fakeStore) Near(context.Context, uuid.UUID, score.Normalized, []document.Type) ([]Near, error) {
	return nil, errors.New("no document has an embedding")
}

func (s *fakeStore) next() (b Block) {
	if len(s.blocks) > 0 {
		b, s.blocks = s.blocks[0], s.blocks[1:]
	}
	return b
}

var (
	rawOrder   = raw(po, object(order45))
	rawInvoice = raw(inv, object(`"number":"RE-1"`, cites45))
)

// run matches and returns the log.
func run(s *fakeStore) (string, error) {
	var log bytes.Buffer
	m := &Matcher{Store: s, Log: slog.New(slog.NewJSONHandler(&log, nil))}
	err := job.Work(m.Match).One(context.Background(), job.Attempt{ID: s.doc.ID, Number: 3})
	return log.String(), err
}

func TestMatchWritesThePairs(t *testing.T) {
	t.Parallel()
	s := &fakeStore{doc: rawInvoice, blocks: []Block{{Candidates: []score.Raw{rawOrder}}}}
	log, err := run(s)
	if err != nil || log != "" {
		t.Fatalf("error %v, log %s", err, log)
	}
	invoice := parsed(t, inv, rawInvoice.Data)
	want := invoice.Score(parsed(t, po, rawOrder.Data))
	if len(s.drafts) != 1 || !reflect.DeepEqual(s.drafts[0].Pairs, []score.Pair{want}) || want.Points != 90 {
		t.Fatalf("wrote %+v, want %+v", s.drafts, want)
	}
	for _, d := range s.saved {
		if !reflect.DeepEqual(d.Normalized, invoice.Normalized()) || !slices.Equal(d.Types, score.Matchable(inv)) {
			t.Errorf("candidates were looked up by %v and %+v", d.Types, d.Normalized)
		}
	}
	if want := slices.Repeat([]job.Attempt{{ID: rawInvoice.ID, Number: 3}}, 3); !slices.Equal(s.fences, want) {
		t.Errorf("got the fences %v, want %v", s.fences, want)
	}
	if s.drafts[0].Exchange != nil {
		t.Error("without a model, the store is not to decide by rules.Apply")
	}
}

func TestStoreErrorsAreWrapped(t *testing.T) {
	t.Parallel()
	lost := fmt.Errorf("store: %w", job.ErrFenceLost)
	for step, s := range map[string]*fakeStore{
		"load":            {loads: lost},
		"read candidates": {reads: lost},
		"write matches":   {write: lost},
	} {
		s.doc = rawInvoice
		if _, err := run(s); !errors.Is(err, job.ErrFenceLost) || !strings.Contains(err.Error(), step) {
			t.Errorf("%s: got %v, want fence lost", step, err)
		}
	}
}

// The store leaves a document out whose fence is lost; it isn't worked on any further.
func TestLostFenceEndsTheWork(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"load", "read candidates"} {
		s := &fakeStore{doc: rawInvoice, lost: step}
		if _, err := run(s); !errors.Is(err, job.ErrFenceLost) || !strings.Contains(err.Error(), step) {
			t.Errorf("%s: got %v, want fence lost", step, err)
		}
		if len(s.drafts) > 0 {
			t.Errorf("%s: wrote %+v", step, s.drafts)
		}
	}
}

func TestUnreadableDataQuotesNoValue(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"no JSON":     `{"notes":"SECRET`,
		"wrong shape": `{"number":{"SECRET":1}}`,
		"no amount":   `{"total":"SECRET"}`,
		"no date":     `{"date":"SECRET"}`,
		"too large":   "", // the store's word for it
	} {
		s := &fakeStore{doc: raw(inv, data)}
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
		if len(s.saved) > 0 {
			t.Errorf("%s: it went on with %+v", name, s.saved)
		}
	}
}

func TestNewIdentitiesRereadBlock(t *testing.T) {
	t.Parallel()
	s := &fakeStore{doc: rawInvoice, blocks: []Block{{}, {}, {Candidates: []score.Raw{rawOrder}}}}
	must.Get(run(s))(t)
	if len(s.drafts) != 2 || len(s.drafts[0].Pairs) != 0 || len(s.drafts[1].Pairs) != 1 {
		t.Errorf("wrote %v by round, want nothing and a pair", s.drafts)
	}
	for i, d := range s.drafts {
		if got := d.Document.Pairs([]score.Raw{rawOrder}); len(got) != 1 {
			t.Errorf("round %d: the candidates that Write finds have %d pairs, want 1", i, len(got))
		}
	}
}

func TestEndlessChangesAreTransient(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		changes, rounds int
		fails           bool
	}{{9, 10, false}, {10, 10, true}, {20, 10, true}} {
		s := &fakeStore{doc: rawInvoice, blocks: make([]Block, 1+2*tc.changes)}
		_, err := run(s)
		if (err != nil) != tc.fails || len(s.drafts) != tc.rounds {
			t.Errorf("%d changes: error %v after %d rounds, want %d", tc.changes, err, len(s.drafts), tc.rounds)
		}
		if f := failure.Of(err); err != nil && (f.Kind != failure.Transient || !strings.Contains(f.Text, "changed 10 times")) {
			t.Errorf("%d changes: got %s, %q", tc.changes, f.Kind, f.Text)
		}
	}
}

func TestUnreadableCandidates(t *testing.T) {
	t.Parallel()
	weak := raw(po, object(`"supplier":{"name":"Acme"}`))
	vetoed := raw(po, object(order45, `"currency":"USD"`))
	const cited = `"references":[{"type":"purchase-order","number":"4500010046"},{"type":"order-confirmation","number":"4500010046"}]`
	s := &fakeStore{doc: raw(inv, object(vat, cited, `"currency":"EUR"`)), blocks: []Block{{Candidates: []score.Raw{
		raw(po, `{"total":"SECRET"}`), raw(po, ""), weak, vetoed, rawOrder,
		raw(oc, object(order45)), // a type that was not asked for
	}}}}
	log, err := run(s)
	if err != nil || strings.Contains(log, "SECRET") {
		t.Fatalf("error %v, log %s", err, log)
	}
	var got []uuid.UUID
	for _, p := range s.drafts[0].Pairs {
		got = append(got, p.A, p.B)
	}
	got = slices.DeleteFunc(got, func(id uuid.UUID) bool { return id == s.doc.ID })
	if want := []uuid.UUID{vetoed.ID, rawOrder.ID}; !slices.Equal(got, want) {
		t.Errorf("wrote %+v, want pairs with %v", s.drafts[0].Pairs, want)
	}
}

func TestNoCounterpartyNoMatch(t *testing.T) {
	t.Parallel()
	s := &fakeStore{doc: raw(inv, `{"number":"SECRET","notes":"SECRET","total":"5"}`), blocks: []Block{{Candidates: []score.Raw{raw(po, object(vat, `"total":"5"`))}}}}
	log := must.Get(run(s))(t)
	if len(s.drafts) != 1 || len(s.drafts[0].Pairs) != 0 {
		t.Errorf("wrote %+v, want no pairs", s.drafts)
	}
	if !strings.Contains(log, `"level":"WARN"`) || !strings.Contains(log, s.doc.ID.String()) || strings.Contains(log, "SECRET") {
		t.Errorf("logged %s", log)
	}
}
