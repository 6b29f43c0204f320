package matchrun

import (
	"bytes"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/job"
	"matchbook/lambda/local"
	"matchbook/lambda/postgres/postgrestest"

	"github.com/google/uuid"
)

// screen is a terminal that is written to by several.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestReportStartsOnNewLine(t *testing.T) {
	t.Parallel()
	var out screen
	p := term.NewMeter(&out)
	p.Terminal = true
	r := &Run{IDs: []uuid.UUID{uuid.New()}, stored: make([]job.Stamped, 1)}
	r.Progress, r.Stack = p, &local.Stack{DB: postgrestest.Open(t, postgrestest.URL(t))}
	stop := r.Watch(t.Context(), r.standing())
	for began := time.Now(); !strings.Contains(out.String(), "matched 0 of 1"); {
		if time.Since(began) > time.Minute {
			t.Fatal("no progress is shown")
		}
		runtime.Gosched()
	}
	stop()
	if got := out.String(); !strings.HasSuffix(got, "waiting\r\x1b[K") {
		t.Errorf("after the last progress comes what is printed next: %q", got[max(0, len(got)-60):])
	}
}
