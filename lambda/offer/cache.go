package offer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/offer/ranking"
	"matchbook/lambda/offer/roster"
)

// keptUsers bounds the memory of a Cache: time zones work on two dates at once, with up to
// 100,000 users each.
const keptUsers = 200_000

// Cache is Rankings over the rosters of a store. It reads each roster once, however many jobs
// wait for it, and one roster at a time. It keeps the rosters used last. It is safe for
// concurrent use.
type Cache struct {
	Rosters interface {
		RosterOf(ctx context.Context, j Job) (roster.Frozen, error)
	}

	Users int // of the kept rosters together, at most; 0 means 200,000

	mu      sync.Mutex
	entries []*entry      // the latest at the end
	loading chan struct{} // one roster at a time
}

type entry struct {
	of     Job           // the first one that needed it
	users  int           // set once it is loaded
	ready  chan struct{} // closed when the rest is set
	digest [32]byte      // of the stored roster
	index  *ranking.Index
	err    error
	again  bool // the caller that loaded it ran out of time
}

var errNotLoaded = errors.New("roster not loaded")

// Offers returns the set of a job. Its error is permanent if the job names another roster.
func (c *Cache) Offers(ctx context.Context, j Job) ([]ranking.Offer, error) {
	x, err := c.Index(ctx, j)
	if err != nil {
		return nil, err
	}
	return x.Offers(j.User)
}

// Index returns the roster of a job, prepared for its sets. Note that its error is permanent
// if the job names another roster or algorithm.
func (c *Cache) Index(ctx context.Context, j Job) (*ranking.Index, error) {
	e, err := c.wait(ctx, j)
	switch {
	case err != nil:
		return nil, err
	case e.err != nil:
		return nil, e.err
	case e.digest != j.Digest:
		return nil, failure.Permanently("roster of %s differs from the one the job was queued with", j.Date)
	case e.index.Algorithm().Version != j.Algorithm:
		return nil, failure.Permanently("roster of %s is for version %d of the ranking, the job for version %d",
			j.Date, e.index.Algorithm().Version, j.Algorithm)
	}
	return e.index, nil
}

// wait loads the roster of a job, or waits for another caller to do so.
func (c *Cache) wait(ctx context.Context, j Job) (*entry, error) {
	for {
		e, ours := c.entry(j)
		if ours {
			c.load(ctx, e)
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if ours || !e.again {
			return e, nil
		}
	}
}

// entry returns the entry of a job's roster, and whether the caller must load it.
func (c *Cache) entry(j Job) (e *entry, ours bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loading == nil {
		c.loading = make(chan struct{}, 1)
	}
	at := slices.IndexFunc(c.entries, func(e *entry) bool {
		return e.of.Tenant == j.Tenant && e.of.Date == j.Date && e.of.Digest == j.Digest
	})
	if at >= 0 {
		e = c.entries[at]
		c.entries = slices.Delete(c.entries, at, at+1)
	} else {
		e, ours = &entry{of: j, ready: make(chan struct{}), err: errNotLoaded}, true
	}
	c.entries = append(c.entries, e)
	return e, ours
}

// load sets the rest of an entry. It forgets the entry if that fails, also by a panic.
func (c *Cache) load(ctx context.Context, e *entry) {
	defer func() {
		e.again = e.err != nil && ctx.Err() != nil
		c.keep(e)
		close(e.ready)
	}()
	select {
	case c.loading <- struct{}{}:
		defer func() { <-c.loading }()
	case <-ctx.Done():
		e.err = ctx.Err()
		return
	}
	e.digest, e.index, e.err = c.read(ctx, e)
}

func (c *Cache) read(ctx context.Context, e *entry) (digest [32]byte, x *ranking.Index, err error) {
	frozen, err := c.Rosters.RosterOf(ctx, e.of)
	if errors.Is(err, job.ErrNotFound) {
		err = failure.Permanently("missing roster of %s", e.of.Date)
	}
	if err != nil {
		return digest, nil, err
	}
	x, err = ranking.Read(frozen)
	return frozen.Digest, x, err
}

// keep drops an entry that failed, and the oldest entries beyond the limit.
func (c *Cache) keep(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.err == nil {
		e.users = e.index.Users()
	}
	users, all := 0, slices.Clone(c.entries)
	c.entries = c.entries[:0]
	for i, old := range slices.Backward(all) {
		users += old.users
		if old == e && e.err != nil || users > cmp.Or(c.Users, keptUsers) && i < len(all)-1 {
			continue
		}
		c.entries = append(c.entries, old)
	}
	slices.Reverse(c.entries)
}
