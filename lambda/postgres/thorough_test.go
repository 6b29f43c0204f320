package postgres_test

import (
	"flag"
	"testing"
	"time"
)

// stuck bounds what must happen: no machine is so slow.
const stuck = 9 * time.Minute

// thorough makes random tests go on for minutes:
//
//	go test ./lambda/postgres -thorough
var thorough = flag.Bool("thorough", false, "repeat random tests until their chance to miss something is small")

// repeated is how much of a random test is run: with -short, by default, and
// with -thorough.
func repeated(short, usual, thoroughly int) int {
	switch {
	case testing.Short():
		return short
	case *thorough:
		return thoroughly
	}
	return usual
}
