// Package lazy makes values when they are first used, so that a function that links a package
// doesn't pay for it at each start.
package lazy

import (
	"regexp"
	"strings"
	"sync"
)

// Regexp compiles an expression when it is first used, and panics then if it's invalid. Use it for
// variables of packages.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Words reads a list of words with blanks between them when it is first used, for look-ups.
func Words(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		words := map[string]bool{}
		for word := range strings.FieldsSeq(list) {
			words[word] = true
		}
		return words
	})
}
