// Package playbook holds a tenant's positions on the clauses of contracts: on
// which side it stands, and for each topic what it accepts, what it does not want,
// and which wording it would offer instead.
//
// The positions go into the questions to a model. Without a model they decide by
// themselves, by the presence of clauses only: ByRules and Missing.
package playbook

import (
	"crypto/sha256"
	_ "embed" // the playbook of a tenant without one
	"encoding/hex"
	"encoding/json"

	"matchbook/lambda/review/record"
)

// Analyst is the name under which findings by rules are recorded.
const Analyst = "playbook"

// A clause of a category, where it is present, is one of these to a tenant.
const (
	accepted    = "accepted"    // as it is
	conditional = "conditional" // as long as its terms are acceptable
	unwanted    = "unwanted"    // whatever its terms
)

// Position is a tenant's position on one topic.
type Position struct {
	Required   bool            `json:"required"`   // a contract without such a clause is a finding
	Clause     string          `json:"clause"`     // accepted, conditional or unwanted
	Acceptable string          `json:"acceptable"` // terms
	Unwanted   string          `json:"unwanted"`   // terms
	Fallback   string          `json:"fallback"`   // wording to offer instead
	Severity   record.Severity `json:"severity"`   // of what is missing or unwanted
	Reason     string          `json:"reason"`
}

// Playbook is the positions of a tenant. Parse makes one.
type Playbook struct {
	content content
	version string
}

// content has the form of the file.
type content struct {
	Name      string                       `json:"name"`
	Version   string                       `json:"version"`
	Side      string                       `json:"side"`
	Positions map[record.Category]Position `json:"positions"`
}

//go:embed default.json
var standard []byte

// Default returns the playbook of a tenant that has no own, as a file.
func Default() []byte { return append([]byte(nil), standard...) }

// Version identifies the content: the version that the file has and a hash,
// which does not depend on white space and order.
func (p Playbook) Version() string { return p.version }

// Side returns the tenant's role in its contracts, such as customer.
func (p Playbook) Side() string { return p.content.Side }

// Position returns the position on a topic.
func (p Playbook) Position(topic record.Category) (Position, bool) {
	position, ok := p.content.Positions[topic]
	return position, ok
}

// versionOf hashes the content. The keys of maps are sorted by json.Marshal.
func versionOf(c content) string {
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err) // it is made of strings
	}
	sum := sha256.Sum256(raw)
	return c.Version + "-" + hex.EncodeToString(sum[:6])
}
