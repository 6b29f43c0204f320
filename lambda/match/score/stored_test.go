package score

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"matchbook/lambda/internal/must"

	"github.com/google/uuid"
)

func TestRecentReadsTheSame(t *testing.T) {
	t.Parallel()
	kept := recent{docs: map[Raw]Document{}}
	raw := Raw{ID: uuid.Max, TenantID: tenantA, Type: inv, Data: `{"number":"1","notes":"` + strings.Repeat("x", maxRecent/32) + `"}`}
	for range 2 {
		var all sync.WaitGroup
		for i := range 3 * maxRecent / len(raw.Data) / 2 {
			all.Go(func() {
				raw := raw
				raw.Known = fmt.Sprint(i)
				if got, err := kept.read(raw); err != nil || !reflect.DeepEqual(got, must.Get(Read(raw))(t)) {
					t.Errorf("%s: got %+v, %v", raw.Known, got, err)
				}
			})
		}
		all.Wait()
	}
	raw.Known = "the last"
	must.Get(kept.read(raw))(t)
	if _, ok := kept.docs[raw]; !ok {
		t.Error("the document read last isn't kept")
	}
	sum := 0
	for raw := range kept.docs {
		sum += len(raw.Data)
	}
	if sum > maxRecent || sum == 0 {
		t.Errorf("%d bytes are kept, want at most %d", sum, maxRecent)
	}
}

func TestRecentKeepsNoLargeDocument(t *testing.T) {
	t.Parallel()
	kept := recent{docs: map[Raw]Document{}}
	for _, data := range []string{`{"notes":"` + strings.Repeat("x", maxRecent/16) + `"}`, `{`} {
		_, err := kept.read(Raw{Data: data})
		if (err != nil) != (data == `{`) || len(kept.docs) != 0 {
			t.Errorf("got %v; %d documents are kept", err, len(kept.docs))
		}
	}
}
