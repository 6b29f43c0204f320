package schema

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"matchbook/lambda/postgres"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// AppRole is the role of all programs but the migrations: it reads and writes the rows of
// Matchbook's tables, and can neither create, alter nor drop one. It has no login; grant it to
// the user that the functions connect as. The databases of a cluster share it.
const AppRole = "matchbook_app"

// GrantSQL creates AppRole and grants it every table of the schema. It runs after each
// migration, not as one, because an administrator may create the role later, and a later
// migration adds tables.
//
// It tolerates the migration of another database that made the role meanwhile, and a user who
// may not create roles. It grants only what is missing, so it changes nothing on most
// deployments, and skips the tables of other owners, because a database may be shared. Its lock
// is per database: two migrations at once would otherwise update the same row of pg_class,
// which PostgreSQL refuses.
const GrantSQL = `DO $$ BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'matchbook_app') THEN
		CREATE ROLE matchbook_app NOLOGIN;
		GRANT matchbook_app TO CURRENT_USER; -- from PostgreSQL 16 on, who creates a role is no full member
	END IF;
EXCEPTION WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
END $$;
DO $$ DECLARE t record; BEGIN
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'matchbook_app') THEN RETURN; END IF;
	PERFORM pg_advisory_xact_lock(hashtext('matchbook_app'));
	IF NOT has_schema_privilege('matchbook_app', current_schema(), 'USAGE') THEN
		EXECUTE format('GRANT USAGE ON SCHEMA %I TO matchbook_app', current_schema());
	END IF;
	FOR t IN
		SELECT c.oid::regclass AS name, r.list FROM pg_class AS c,
			LATERAL (SELECT CASE WHEN relkind = 'v' OR relname = 'goose_db_version' THEN ARRAY['SELECT']
				ELSE ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE'] END AS list) AS r
		WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v')
			AND pg_has_role(relowner, 'USAGE')
			AND EXISTS (SELECT FROM unnest(r.list) AS one WHERE NOT has_table_privilege('matchbook_app', c.oid, one))
		ORDER BY c.oid
	LOOP
		EXECUTE format('GRANT %s ON %s TO matchbook_app', array_to_string(t.list, ', '), t.name);
	END LOOP;
END $$`

const lacksRoleSQL = `SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'matchbook_app')`

// RoleHint returns what an administrator must do if the migrations' user may not create
// AppRole, or nothing.
func RoleHint(ctx context.Context, databaseURL string) (string, error) {
	config, err := pgxpool.ParseConfig(databaseURL) // as Migrate reads it
	if err != nil {
		return "", fmt.Errorf("parse database URL: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return "", err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return roleHint(ctx, conn)
}

func roleHint(ctx context.Context, from postgres.Querier) (hint string, err error) {
	if lacks, err := postgres.Value[bool](ctx, from, lacksRoleSQL); err != nil || !lacks {
		return "", err
	}
	return "missing role " + AppRole + ", and this user may not create it: run CREATE ROLE " + AppRole +
		" NOLOGIN as an administrator of the server, then migrate again; until then only the tables' owner can work", nil
}

const takesRoleSQL = `SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = 'matchbook_app' AND pg_has_role(oid, 'MEMBER'))`

// AsApp returns the URL for connections that take AppRole at their start, or the URL as it is
// if its user may not take the role.
func AsApp(ctx context.Context, from postgres.Querier, databaseURL string) (string, error) {
	if may, err := postgres.Value[bool](ctx, from, takesRoleSQL); err != nil || !may {
		return databaseURL, err
	}
	u, err := url.Parse(databaseURL)
	if err != nil {
		return "", fmt.Errorf("parse database URL: %w", err)
	}
	q := u.Query()
	q.Set("role", AppRole)
	u.RawQuery = strings.ReplaceAll(q.Encode(), "+", "%20") // PostgreSQL takes a plus literally
	return u.String(), nil
}
