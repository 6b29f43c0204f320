package score

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// Naming is a supplier's name on a document and its VAT id. The store remembers both, because
// all names with one VAT id are one supplier's. So are the names of two documents after a
// person confirmed their match.
type Naming struct {
	Name  string // in comparable form; empty without a name
	VATID string // empty if missing, or if its check digits are wrong
}

// maxKnownName bounds a remembered name, in bytes; a longer one is replaced by its hash.
const maxKnownName = 128

// Naming returns the supplier's name and VAT id. The store must remember them.
func (d *Document) Naming() (n Naming) {
	if n.Name = d.supplier.name.Key(); len(n.Name) > maxKnownName {
		n.Name = fmt.Sprintf("%x", sha256.Sum256([]byte(n.Name)))
	}
	if d.supplier.valid {
		n.VATID = d.supplier.VATID
	}
	return n
}

// Know sets the identities of the supplier's name and its taught articles, labels and habits, in the form
// of Raw.Known. You must call Normalized again afterwards, because the keys depend on them.
func (d *Document) Know(known string) {
	d.known, d.supplier.known = known, nil
	for line := range strings.SplitSeq(known, "\n") {
		taught := func(prefix string) bool { return strings.HasPrefix(line, prefix) }
		if line != "" && !slices.ContainsFunc(factPrefixes, taught) {
			d.supplier.known = append(d.supplier.known, line)
		}
	}
	d.learn(factsOf[taughtArticle](known, articlePrefix))
	d.learnLabels(factsOf[taughtLabel](known, labelPrefix))
	d.learnHabits(factsOf[habit](known, HabitPrefix))
}

var factPrefixes = []string{articlePrefix, labelPrefix, HabitPrefix}

// identities lists the identities of a supplier: its VAT id and its name's.
func (p *party) identities() []string {
	if !p.valid {
		return p.known
	}
	return append([]string{p.VATID}, p.known...)
}

// knownAs is a common identity of two suppliers, or "".
func knownAs(p, q *party) string {
	if p.known == nil && q.known == nil {
		return "" // a common VAT id is compared as such
	}
	others := q.identities()
	for _, identity := range p.identities() {
		if slices.Contains(others, identity) {
			return identity
		}
	}
	return ""
}

func known(a, b *Document) []Evidence {
	identity := knownAs(&a.supplier, &b.supplier)
	switch names := []string{a.Supplier.Name, b.Supplier.Name}; {
	case a.supplier.name.IsZero(), b.supplier.name.IsZero():
		return evKnownName.Because("The supplier %s has VAT id %s on other documents.", quoted(strings.Join(names, "")), identity)
	case strings.Contains(identity, "="):
		return evKnownName.Because("%s and %s are one supplier: a person confirmed a match of documents with these names.",
			quoted(names[0]), quoted(names[1]))
	default:
		return evKnownName.Because("%s and %s are one supplier: VAT id %s is printed beside both names.",
			quoted(names[0]), quoted(names[1]), identity)
	}
}
