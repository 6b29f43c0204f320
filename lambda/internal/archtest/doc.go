// Package archtest keeps imports, links and shown names true, as a test: which way
// imports point and where a module may be used, which parsers a function links, and
// that what the pages link and name exists. Its rules are a table at the top of
// imports_test.go; every exception is a row with its reason, and a row that is not
// needed any more is reported, too.
//
// It parses the files itself: go test would not notice the files that a child
// process reads, and would go on to report a cached success.
package archtest
