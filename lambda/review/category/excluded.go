package category

import (
	"strings"

	"matchbook/lambda/internal/lazy"
)

var (
	nothingOwed = lazy.Regexp(`\bno liability (?:whatsoever|of any kind|at all)\b|` +
		`\bliable for any (?:loss|damages?)(?: (?:or|and) (?:loss|damages?))?\b|` +
		`\bexcludes? all liability\b|\ball liability\b[^.]{0,60}\b(?:is|are|shall be) excluded\b|` +
		`\b(?:jede|jegliche) haftung\b[^.]{0,60}\bausgeschlossen\b|\bhaftung\b[^.]{0,60}\b(?:vollständig|gänzlich) ausgeschlossen\b|` +
		`\btoute responsabilité [^.]{0,60}\bexclue\b`)
	somethingOwed = lazy.Regexp(`\b(?:indirect|consequential|special|incidental|punitive|except|unless|other than|` +
		`exceed\w*|excess|` +
		`limited to|up to|profits?|nothing|caused by the|arising from the|to the extent|fahrlässig\w*|` +
		`außer|soweit|es sei denn|mittelbare\w*|` +
		`folgeschäden|indirects?|sauf|hormis|délais?)\b`)
)

// ExcludesAll reports whether a clause excludes all liability: it's no limit, since nothing is
// left to claim. A clause with an exception or a kind of damage only limits.
func ExcludesAll(clause string) bool {
	line := strings.ToLower(strings.Join(strings.Fields(clause), " "))
	return nothingOwed().MatchString(line) && !somethingOwed().MatchString(line)
}
