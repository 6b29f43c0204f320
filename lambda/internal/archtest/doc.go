// Package archtest keeps the tree in shape, as a test: which package may import
// which, use which module and read the environment, and a few bounds on files and
// packages. Its tables, in archtest_test.go, are a map of the tree; every exception
// is a row with its reason, and a row that is not needed any more is reported, too.
//
// It parses the files itself: go test would not notice the files that a child
// process reads, and would go on to report a cached success.
package archtest
