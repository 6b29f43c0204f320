package explain

import (
	"fmt"
	"math"
	"strings"

	"matchbook/lambda/cli/term"

	"github.com/google/uuid"
)

// maxTenants bounds the tenants that an error names.
const maxTenants = 10

// CheckTenant returns an Error if no tenant has the id; it names the tenants that there
// are. The zero id stands for all of them.
func (d *Reader) CheckTenant(id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	found, err := d.reports.Tenants(d.ctx, []uuid.UUID{id}, 1)
	if err != nil || len(found) == 1 {
		return err
	}
	all, err := d.reports.Tenants(d.ctx, nil, math.MaxInt32)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return Errorf("no tenant has the id %s: there is none yet", id)
	}
	var lines strings.Builder
	for _, t := range all[:min(len(all), maxTenants)] {
		fmt.Fprintf(&lines, "\n  %s  %s", t.ID, term.Clean(t.Name, term.MaxValue))
	}
	if more := len(all) - maxTenants; more > 0 {
		fmt.Fprintf(&lines, "\n  ... and %d more", more)
	}
	return Errorf("no tenant has the id %s; there are%s", id, &lines)
}
