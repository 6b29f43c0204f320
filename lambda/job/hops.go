package job

import "context"

type hopsKey struct{}

// WithHops returns a context for the work on a message after this number of functions, itself
// included. Messages sent with it continue the count, so that a chain ends before Lambda drops
// it; see manifest.MaxHops.
func WithHops(ctx context.Context, n int) context.Context {
	return context.WithValue(ctx, hopsKey{}, n)
}

// Hops returns the count of the context; 0 outside a function's work.
func Hops(ctx context.Context) int {
	n, _ := ctx.Value(hopsKey{}).(int)
	return n
}
