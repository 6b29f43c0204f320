// Package thorough has the flag that lets random and concurrent tests repeat
// themselves for minutes:
//
//	go test ./lambda/postgres ./lambda/match ./lambda/acceptance/... ./lambda/cmd/matchbook -thorough
package thorough

import "flag"

var on = flag.Bool("thorough", false, "repeat random tests until their chance to miss something is small")

// On reports whether -thorough was given.
func On() bool { return *on }

// Or returns how much of a test is run: usual, or with -thorough all of it.
func Or(usual, all int) int {
	if *on {
		return all
	}
	return usual
}
