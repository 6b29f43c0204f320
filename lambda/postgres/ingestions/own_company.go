package ingestions

import (
	"context"

	"matchbook/lambda/document"
	"matchbook/lambda/postgres"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

const addOwnCompanySQL = `
INSERT INTO own_company (tenant_id, name, vat_id) VALUES ($1, $2, $3)
ON CONFLICT (tenant_id, name) DO UPDATE SET vat_id = excluded.vat_id`

// AddOwnCompany stores a company of a tenant, with its VAT id in plain form or empty. A company
// with the same name is replaced.
func (s *Store) AddOwnCompany(ctx context.Context, tenantID uuid.UUID, name, vatID string) error {
	return s.db.Steady().Exec(ctx, addOwnCompanySQL, tenantID, name, vatID)
}

const removeOwnCompanySQL = `DELETE FROM own_company WHERE tenant_id = $1 AND name = $2`

// RemoveOwnCompany removes a company of a tenant, and reports whether there was one.
func (s *Store) RemoveOwnCompany(ctx context.Context, tenantID uuid.UUID, name string) (found bool, err error) {
	return s.db.Steady().Changes(ctx, removeOwnCompanySQL, tenantID, name)
}

const ownCompaniesSQL = `SELECT name, vat_id FROM own_company WHERE tenant_id = $1 ORDER BY name`

// OwnCompanies lists the companies of a tenant by name.
func (s *Store) OwnCompanies(ctx context.Context, tenantID uuid.UUID) (all []document.Party, err error) {
	return postgres.RowsBy(ctx, s.db.Steady(), func(row pgx.CollectableRow) (p document.Party, err error) {
		return p, row.Scan(&p.Name, &p.VATID)
	}, ownCompaniesSQL, tenantID)
}
