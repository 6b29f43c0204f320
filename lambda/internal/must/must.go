// Package must fails a test at the first error, so that its steps aren't buried in error
// checks.
package must

// Test is a test, a benchmark or a rig that embeds one.
type Test interface {
	Helper()
	Fatal(args ...any)
}

// OK fails the test unless err is nil. at says where, such as which of many files.
func OK(t Test, err error, at ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(at, err)...)
	}
}

// Get returns v, or fails the test if err isn't nil:
//
//	text := must.Get(os.ReadFile(path))(t)
func Get[T any](v T, err error) func(Test) T {
	return func(t Test) T {
		t.Helper()
		OK(t, err)
		return v
	}
}
