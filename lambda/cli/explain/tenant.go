package explain

import (
	"fmt"
	"math"
	"strings"

	"matchbook/lambda/cli/term"

	"github.com/google/uuid"
)

const maxTenants = 10

// CheckTenant returns an Error for an unknown tenant, and lists the known ones. The zero id
// stands for all tenants. Use it before a report, otherwise an unknown tenant looks empty.
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
		return Errorf("unknown tenant %s: the database is empty", id)
	}
	var lines strings.Builder
	for _, t := range all[:min(len(all), maxTenants)] {
		fmt.Fprintf(&lines, "\n  %s  %s", t.ID, term.Clean(t.Name, term.MaxValue))
	}
	if more := len(all) - maxTenants; more > 0 {
		fmt.Fprintf(&lines, "\n  ... and %d more", more)
	}
	return Errorf("unknown tenant %s; use one of%s", id, &lines)
}
