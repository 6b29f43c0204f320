// Package must ends a test at the first failed call, so that error checks don't push its steps
// apart.
package must

// Test is a test, a benchmark or a rig that embeds one.
type Test interface {
	Helper()
	Fatal(args ...any)
}

// OK ends the test unless err is nil. Use at to name the place, such as one of many files.
func OK(t Test, err error, at ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(at, err)...)
	}
}

// Get returns the value of a call, and ends the test on its error:
//
//	text := must.Get(os.ReadFile(path))(t)
func Get[T any](v T, err error) func(Test) T {
	return func(t Test) T {
		t.Helper()
		OK(t, err)
		return v
	}
}
