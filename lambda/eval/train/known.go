package train

import (
	"maps"
	"slices"

	"matchbook/lambda/match/score"

	"github.com/google/uuid"
)

// naming is a supplier's name or VAT id within a tenant.
type naming struct {
	tenant uuid.UUID
	text   string
}

// remember gives each document the identity of its supplier's name, like the store does
// without confirmations: the only VAT id seen with the name, if that id was also seen with
// another name.
func remember(docs []score.Document) {
	ids, names := map[naming]map[string]bool{}, map[naming]map[string]bool{}
	note := func(m map[naming]map[string]bool, of naming, text string) {
		if m[of] == nil {
			m[of] = map[string]bool{}
		}
		m[of][text] = true
	}
	for _, d := range docs {
		if n := d.Naming(); n.VATID != "" {
			note(ids, naming{d.TenantID, n.Name}, n.VATID)
			note(names, naming{d.TenantID, n.VATID}, n.Name)
		}
	}
	for i, d := range docs {
		n := d.Naming()
		beside := slices.Collect(maps.Keys(ids[naming{d.TenantID, n.Name}]))
		if n.Name != "" && n.VATID == "" && len(beside) == 1 && len(names[naming{d.TenantID, beside[0]}]) > 1 {
			docs[i].Know(beside[0])
		}
	}
}
