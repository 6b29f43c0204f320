package local

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// invoke counts the invocations with a message on its last delivery; see KillEvery.
func (w *Consumer) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var last int
	if w.hasLastDelivery(payload) {
		last = 1
	}
	w.invoking.Lock()
	w.last += last
	w.invoking.Unlock()
	defer func() {
		w.invoking.Lock()
		w.last -= last
		w.invoking.Unlock()
	}()
	return w.Function.Invoke(ctx, payload)
}

func (w *Consumer) hasLastDelivery(payload []byte) bool {
	var event events.SQSEvent
	if json.Unmarshal(payload, &event) != nil {
		return true
	}
	for _, r := range event.Records {
		n, err := strconv.Atoi(r.Attributes["ApproximateReceiveCount"])
		if err != nil || n >= w.row.MaxReceiveCount() {
			return true
		}
	}
	return false
}

// KillEvery kills a process of the function at every interval of the stack's clock, while a
// row is in progress, until ctx ends. It spares messages on their last delivery, because only
// the sweep would repair their rows. The seed determines the moments. KillEvery returns the
// number of kills.
func (w *Consumer) KillEvery(ctx context.Context, interval time.Duration, seed uint64) (kills int) {
	random := rand.New(rand.NewPCG(seed, 0))
	next := w.clock.Now()
	ticker := time.NewTicker(idlePoll)
	defer ticker.Stop()
	for wait := random.IntN(5); ; {
		select {
		case <-ctx.Done():
			return kills
		case <-ticker.C:
		}
		if w.clock.Now().Before(next) || !w.working(ctx) {
			continue
		}
		if wait--; wait > 0 {
			continue
		}
		if w.kill(random) {
			kills++
			next = w.clock.Now().Add(interval)
			wait = random.IntN(5)
		}
	}
}

func (w *Consumer) working(ctx context.Context) bool {
	n, err := w.Jobs.InProgress(ctx)
	return err == nil && n > 0
}

func (w *Consumer) kill(random *rand.Rand) bool {
	w.invoking.Lock()
	defer w.invoking.Unlock()
	return w.last == 0 && w.Function.Kill(random.IntN)
}
