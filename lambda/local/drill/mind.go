package drill

import (
	"regexp"
	"strings"

	"matchbook/lambda/local/scripted"

	"github.com/google/uuid"
)

// answer is the model of a drill.
func (p *papers) answer(q scripted.Question) string {
	return choosesAll(strings.Count(q.User, "<<<candidate\n"))
}

// printed is the number of a file or a contract.
var printed = regexp.MustCompile(`\b[FK]\d{5}\b`)

// about returns what a question is about, found by its number.
func (p *papers) about(user string) uuid.UUID {
	_, after, _ := strings.Cut(user, "\nnumber: ")
	number, _, _ := strings.Cut(after, "\n")
	if id, ok := p.numbers[number]; ok {
		return id
	}
	return p.numbers[printed.FindString(user)]
}
