package train

import (
	"reflect"
	"testing"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/document/corpus"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// A measurement weighs by numbers of its own, and leaves the sample to others as it was.
func TestMeasureKeepsSample(t *testing.T) {
	t.Parallel()
	sample := func() *Sample {
		var docs []corpus.Document
		for i, d := range []struct {
			of   document.Type
			data string
		}{
			{document.PurchaseOrder, `{"number":"4500001234","date":"2026-03-02","supplier":{"vat_id":"DE136695976"}}`},
			{document.Invoice, `{"number":"RE-1","date":"2026-03-09","supplier":{"vat_id":"DE136695976"},
				"references":[{"type":"purchase-order","number":"4500001234"}]}`},
		} {
			docs = append(docs, corpus.Document{ID: uuid.UUID{15: byte(i + 1)}, TenantID: uuid.UUID{1}, Type: d.of,
				Received: time.Date(2026, 3, 9, 0, 0, 0, 0, time.UTC), Data: []byte(d.data)})
		}
		return must.Get(NewSample(docs, nil))(t)
	}
	s := sample()
	if len(s.Pairs) != 1 || len(s.Pairs[0].Evidence) < 2 {
		t.Fatalf("pairs %+v, want one that has evidence", s.Pairs)
	}
	must.Get(s.Measure(t.Context(), &score.Numbers{}))(t) // all evidence without points
	if want := sample().Pairs; !reflect.DeepEqual(s.Pairs, want) {
		t.Errorf("a measurement changed the pairs from\n%+v\nto\n%+v", want, s.Pairs)
	}
}
