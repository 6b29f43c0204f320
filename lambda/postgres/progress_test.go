package postgres

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
)

// An attempt waits for others on their way to the same statement, but not long, and not for
// another tenant's or for any past it.
func TestGatherWaits(t *testing.T) {
	t.Parallel()
	ours, theirs := uuid.UUID{1}, uuid.UUID{2}
	a, b, c := uuid.UUID{10}, uuid.UUID{11}, uuid.UUID{12}
	for _, step := range []struct {
		name   string
		events func(p *progress) // from the first second on, one a second
		tenant uuid.UUID
		want   time.Duration
	}{
		{"until the last has come", func(p *progress) {
			p.reach(a, searching)
			<-time.After(time.Second)
			p.reach(b, writing) // past it
			p.reach(b, loading) // and never back
			<-time.After(time.Second)
			p.reach(c, searching)
		}, uuid.Nil, 3 * time.Second},
		{"of its tenant", func(p *progress) {
			p.reach(a, searching)
			<-time.After(time.Second)
			p.reach(b, searching)
		}, ours, 2 * time.Second},
		{"of no other tenant", func(p *progress) { p.reach(c, searching) }, theirs, time.Second},
		{"not for one that has ended", func(p *progress) {
			p.reach(a, ending)
			p.reach(b, ending)
		}, ours, time.Second},
		{"not for those of the claim before", func(p *progress) { p.begin(nil) }, uuid.Nil, time.Second},
		{"not long", func(p *progress) { p.reach(a, loading) }, uuid.Nil, 10 * time.Second},
	} {
		t.Run(step.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &progress{}
				p.begin(map[uuid.UUID]claimed{a: {tenant: ours}, b: {tenant: ours}, c: {tenant: theirs}})
				go func() {
					<-time.After(time.Second)
					step.events(p)
				}()
				began := time.Now()
				p.wait(t.Context(), searching, step.tenant, 10*time.Second)
				if waited := time.Since(began); waited != step.want {
					t.Errorf("it waited for %s, want %s", waited, step.want)
				}
				synctest.Wait()
			})
		})
	}
}

// An attempt that is alone waits for none, and one that is cancelled waits no longer.
func TestGatherAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began, p := time.Now(), &progress{}
		p.wait(t.Context(), ending, uuid.Nil, time.Second)
		p.begin(map[uuid.UUID]claimed{{1}: {}})
		p.reach(uuid.UUID{1}, loading)
		p.wait(t.Context(), loading, uuid.Nil, time.Second)
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		p.wait(cancelled, ending, uuid.Nil, time.Second)
		if waited := time.Since(began); waited != 0 {
			t.Errorf("it waited for %s", waited)
		}
	})
}
