// Package playbook holds a tenant's positions on contract clauses: its side and, for each
// topic, the acceptable terms, the unwanted ones, and the wording to offer instead.
//
// Questions to a model include the positions. Without a model, use ByRules and Missing: they
// decide only by the presence of clauses.
package playbook

import (
	"crypto/sha256"
	_ "embed" // the playbook of a tenant without one
	"encoding/hex"
	"encoding/json"

	"matchbook/lambda/review/record"
)

// Analyst is the name recorded as the analyst of findings by rules.
const Analyst = "playbook"

// A tenant's attitudes to a clause of some category.
const (
	accepted    = "accepted"    // as it is
	conditional = "conditional" // as long as its terms are acceptable
	unwanted    = "unwanted"    // whatever its terms
)

// Position is a tenant's position on one topic.
type Position struct {
	Required   bool            `json:"required"`   // report a contract without such a clause
	Clause     string          `json:"clause"`     // accepted, conditional or unwanted
	Acceptable string          `json:"acceptable"` // terms
	Unwanted   string          `json:"unwanted"`   // terms
	Fallback   string          `json:"fallback"`   // wording to offer instead
	Severity   record.Severity `json:"severity"`   // if missing or unwanted
	Reason     string          `json:"reason"`
}

// Playbook is a tenant's positions. Use Parse to make one.
type Playbook struct {
	content content
	version string
}

type content struct {
	Name      string                       `json:"name"`
	Version   string                       `json:"version"`
	Side      string                       `json:"side"`
	Positions map[record.Category]Position `json:"positions"`
}

//go:embed default.json
var standard []byte

// Default returns the playbook file for a tenant without one.
func Default() []byte { return append([]byte(nil), standard...) }

// Version is the file's version and a hash of the content, independent of white space and
// order.
func (p Playbook) Version() string { return p.version }

// Side returns the tenant's role in its contracts, such as customer.
func (p Playbook) Side() string { return p.content.Side }

// Position returns the position on a topic, and false if the playbook has none.
func (p Playbook) Position(topic record.Category) (Position, bool) {
	position, ok := p.content.Positions[topic]
	return position, ok
}

// versionOf hashes the content. The keys of maps are sorted by json.Marshal.
func versionOf(c content) string {
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings always marshal
	}
	sum := sha256.Sum256(raw)
	return c.Version + "-" + hex.EncodeToString(sum[:6])
}
