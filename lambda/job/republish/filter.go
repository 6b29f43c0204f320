package republish

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres"
)

// Kinds are the kinds of failure for a filter.
var Kinds = []string{"transient", "permanent", "lost", "crashed"}

// ParseFilter parses the command's flags, each of which may be empty: a kind of failure; the
// time or the duration since the rows failed; and a tenant's id.
func ParseFilter(kind, since, tenant string) (f postgres.FailedFilter, err error) {
	if f.Kind = kind; f.Kind != "" && !slices.Contains(Kinds, f.Kind) {
		return f, fmt.Errorf("--kind: unknown kind %.50q; expected one of %s", kind, strings.Join(Kinds, ", "))
	}
	if tenant != "" {
		if f.Tenant, err = document.ParseID(tenant); err != nil {
			return f, fmt.Errorf("--tenant %.50q: %w", tenant, err)
		}
	}
	if since == "" {
		return f, nil
	}
	if f.Within, err = time.ParseDuration(since); err == nil && f.Within > 0 {
		return f, nil
	}
	f.Within = 0
	if f.Since, err = time.Parse(time.RFC3339, since); err != nil {
		return f, fmt.Errorf("--since: invalid value %.50q; expected a duration like 2h or a time like 2026-03-02T09:00:00Z", since)
	}
	return f, nil
}
