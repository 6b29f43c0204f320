package login

import (
	"context"
	"sync"
	"time"
)

// memory keeps sessions in this process. Each link makes one, so their number is bounded.
type memory struct {
	now      func() time.Time
	mu       sync.Mutex
	sessions map[Hash]*session
}

type session struct {
	person    []byte
	ends, use time.Time
}

// BeginSession implements Store.
func (m *memory) BeginSession(_ context.Context, id Hash, person []byte, life time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sessions[id] = &session{person, m.now().Add(life), m.now()}
	return nil
}

// UseSession implements Store.
func (m *memory) UseSession(_ context.Context, id Hash, idle time.Duration) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, now := m.sessions[id], m.now()
	if s == nil || !now.Before(s.ends) || !now.Before(s.use.Add(idle)) {
		return nil, nil
	}
	s.use = now
	return s.person, nil
}

// EndSession implements Store.
func (m *memory) EndSession(_ context.Context, id Hash) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, id)
	return nil
}
