package review_test

import (
	"log/slog"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/review"

	"github.com/google/uuid"
)

func TestTenantPlaybook(t *testing.T) {
	t.Parallel()
	book := func(version string) []byte {
		return []byte(`{"name": "", "version": "` + version + `", "side": "supplier", "positions": {}}`)
	}
	tenant, broken := uuid.New(), uuid.New()
	store := newMemory()
	store.Playbooks = map[uuid.UUID][]byte{tenant: book("of-the-tenant"), broken: []byte(`{"side": "suplier"}`)}
	s := review.Starter{Store: store, Sender: &rig{}, Log: slog.New(slog.DiscardHandler)}
	for name, c := range map[string]struct {
		request review.Request
		want    string // begins the version
	}{
		"its own":         {review.Request{TenantID: tenant}, "of-the-tenant-"},
		"of the request":  {review.Request{TenantID: tenant, Playbook: book("of-the-request")}, "of-the-request-"},
		"without its own": {review.Request{TenantID: uuid.New()}, "1-"},
	} {
		c.request.Text = "The Supplier is liable without limit."
		id := must.Get(s.Start(t.Context(), c.request))(t)
		if got := store.Job(id).Playbook; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got the playbook %s, want %s", name, got, c.want)
		}
	}
	_, err := s.Start(t.Context(), review.Request{TenantID: broken, Text: "A clause."})
	if err == nil || !strings.Contains(err.Error(), "did you mean supplier?") {
		t.Errorf("a broken playbook: got %v", err)
	}
}
