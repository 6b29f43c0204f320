// Package thorough has the flag that lets random and concurrent tests repeat
// themselves for minutes:
//
//	go test ./lambda/postgres ./lambda/match ./lambda/acceptance/... ./lambda/cmd/matchbook -thorough
package thorough

import (
	"flag"
	"testing"
)

var on = flag.Bool("thorough", false, "repeat random tests until their chance to miss something is small")

// On reports whether -thorough was given.
func On() bool { return *on }

// Only skips a test without -thorough. why says what it needs so much time for.
func Only(t testing.TB, why string) {
	t.Helper()
	if !*on {
		t.Skip("skipped without -thorough: it " + why)
	}
}

// Or returns how much of a test is run: usual, or with -thorough all of it.
func Or(usual, all int) int {
	if *on {
		return all
	}
	return usual
}
