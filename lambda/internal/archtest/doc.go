// Package archtest keeps the tree in shape, as a test: who imports whom, who
// may use which module, who may read the environment, and a few bounds on
// files and packages. Its tables, in archtest_test.go, are a map of the tree;
// every exception is a row with its reason, and a row that nothing needs any
// more is reported, too.
//
// It parses the files itself: go test would not notice what a child process
// read, and would go on to report a cached success.
package archtest
