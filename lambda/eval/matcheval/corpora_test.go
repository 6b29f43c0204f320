package matcheval

import (
	"slices"
	"testing"
)

func TestConditionsOnce(t *testing.T) {
	t.Parallel()
	got, err := conditionsOf([]string{"masked", "all", "masked"})
	if want := []string{"masked", "visible", "corrupted"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}
