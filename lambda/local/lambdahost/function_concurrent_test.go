package lambdahost

import (
	"context"
	"sync"
	"testing"
)

// TestFunctionIsNeverThrottledWithinItsPlaces has as many callers as there are
// environments, and each calls again at once.
func TestFunctionIsNeverThrottledWithinItsPlaces(t *testing.T) {
	t.Parallel()
	f := newTestFunction(t, Config{MaxConcurrency: 3})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for range 50 {
				if _, err := f.Invoke(context.WithoutCancel(t.Context()), []byte(`{"do":"echo"}`)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}
