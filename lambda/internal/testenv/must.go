package testenv

import "testing"

// Must ends a test whose next steps need one that has failed. at says where, such as in
// which file of many.
func Must(t testing.TB, err error, at ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(at, err)...)
	}
}
