package republish

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres"
)

// Kinds are the kinds of failure that a filter can name.
var Kinds = []string{"transient", "permanent", "lost", "crashed"}

// ParseFilter reads the flags of the command, each of which may be empty: a kind
// of failure, the time since which or the duration within which rows
// failed, and the id of a tenant.
func ParseFilter(kind, since, tenant string) (f postgres.FailedFilter, err error) {
	if f.Kind = kind; f.Kind != "" && !slices.Contains(Kinds, f.Kind) {
		return f, fmt.Errorf("--kind %.50q is not one of %s", kind, strings.Join(Kinds, ", "))
	}
	if tenant != "" {
		if f.Tenant, err = document.ParseID(tenant); err != nil {
			return f, fmt.Errorf("--tenant %.50q is %w", tenant, err)
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
		return f, fmt.Errorf("--since %.50q is no duration such as 2h and no time such as 2026-03-02T09:00:00Z", since)
	}
	return f, nil
}
