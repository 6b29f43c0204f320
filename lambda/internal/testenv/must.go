package testenv

import "testing"

// Must ends a test whose next steps need one that has failed.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
