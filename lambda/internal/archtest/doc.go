// Package archtest tests imports, links and names: the direction of imports, the use of
// modules, the parsers linked by a function, and that everything linked or named by a page
// exists. See the table at the top of imports_test.go for its rules. Each exception is a row
// with a reason, and you must delete a row once nothing needs it; otherwise the test fails.
//
// It parses the files itself, because go test doesn't notice files read by a child process,
// and would report a cached success.
package archtest
