package local

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// invoke keeps count of the invocations that a kill would leave without
// another delivery.
func (s *Stack) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var last int
	if s.hasLastDelivery(payload) {
		last = 1
	}
	s.invoking.Lock()
	s.last += last
	s.invoking.Unlock()
	defer func() {
		s.invoking.Lock()
		s.last -= last
		s.invoking.Unlock()
	}()
	return s.Function.Invoke(ctx, payload)
}

func (s *Stack) hasLastDelivery(payload []byte) bool {
	var event events.SQSEvent
	if json.Unmarshal(payload, &event) != nil {
		return true
	}
	for _, r := range event.Records {
		n, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
		if err != nil || n >= s.row.MaxReceiveCount() {
			return true
		}
	}
	return false
}

// KillEvery kills the function's process again and again until ctx ends:
// whenever the interval has passed on the stack's clock, at a moment when a
// document is in progress. A message has a limited number of deliveries; one
// that is on its last is spared, or else it would be the sweep's. The moments
// come from the seed. It returns how often it killed.
func (s *Stack) KillEvery(ctx context.Context, interval time.Duration, seed uint64) (kills int) {
	random := rand.New(rand.NewPCG(seed, 0))
	next := s.Clock.Now()
	ticker := time.NewTicker(idlePoll)
	defer ticker.Stop()
	for wait := random.IntN(5); ; {
		select {
		case <-ctx.Done():
			return kills
		case <-ticker.C:
		}
		if s.Clock.Now().Before(next) || !s.working(ctx) {
			continue
		}
		if wait--; wait > 0 {
			continue
		}
		if s.kill(random) {
			kills++
			next = s.Clock.Now().Add(interval)
			wait = random.IntN(5)
		}
	}
}

func (s *Stack) working(ctx context.Context) bool {
	n, err := s.Jobs.InProgress(ctx)
	return err == nil && n > 0
}

func (s *Stack) kill(random *rand.Rand) bool {
	s.invoking.Lock()
	defer s.invoking.Unlock()
	return s.last == 0 && s.Function.Kill(random.IntN)
}
