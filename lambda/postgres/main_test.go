package postgres_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain lets more tests run at once than there are processors: most of them
// wait for locks, timeouts and each other.
func TestMain(m *testing.M) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given && os.Getenv(envFrozen) == "" {
		if err := flag.Set("test.parallel", "8"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
