package main

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Whatever the work does, there is time for the answer.
func TestInTime(t *testing.T) {
	t.Parallel()
	_, err := inTime(t.Context(), func(context.Context) (int, error) { panic("PLANTED") })
	if err == nil || err.Error() != "panic (string)" {
		t.Errorf("a panic: got %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := inTime(ctx, func(context.Context) (int, error) { <-make(chan int); return 0, nil }); !errors.Is(err, errOutOfTime) || ctx.Err() != nil {
		t.Errorf("a hang: got %v", err)
	}
}
