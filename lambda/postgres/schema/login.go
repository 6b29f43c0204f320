package schema

import (
	"context"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"matchbook/lambda/failure"
	"matchbook/lambda/postgres"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// putLoginSQL makes the user of a login, or gives it the login's password, as a verifier, so that
// no log of the server has the password itself. format quotes both.
const putLoginSQL = `
SELECT format(CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = $1) THEN 'ALTER ROLE %I LOGIN PASSWORD %L'
	ELSE 'CREATE ROLE %I LOGIN PASSWORD %L' END, $1::text, $2::text) || format('; GRANT matchbook_app TO %I', $1::text)`

// ErrOwnLogin reports programs that would connect as the migrations' user.
var ErrOwnLogin = failure.Permanently("invalid user of the programs: must differ from the one of the migrations")

// PutLogin gives AppRole to the user in appURL, and makes it if it's missing, with the password
// there. Use it after Migrate, as the owner at ownerURL.
func PutLogin(ctx context.Context, ownerURL, appURL string) error {
	owner, err := pgxpool.ParseConfig(ownerURL)
	if err != nil {
		return failure.Permanently("invalid URL of the migrations' database")
	}
	app, err := pgxpool.ParseConfig(appURL)
	if err != nil {
		return failure.Permanently("invalid URL of the programs' database")
	}
	user, password := app.ConnConfig.User, app.ConnConfig.Password
	if user == owner.ConnConfig.User {
		return ErrOwnLogin
	}
	conn, err := pgx.ConnectConfig(ctx, owner.ConnConfig)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	put, err := postgres.Value[string](ctx, conn, putLoginSQL, user, verifier(password))
	if err != nil {
		return fmt.Errorf("prepare the login of %s: %w", AppRole, err)
	}
	if _, err := conn.PgConn().Exec(ctx, put).ReadAll(); err != nil {
		return fmt.Errorf("grant %s to its login: %w", AppRole, err)
	}
	return nil
}

const (
	saltLength = 16
	iterations = 4096 // PostgreSQL's default
)

// verifier returns the form in which PostgreSQL stores a password for SCRAM-SHA-256 (RFC 5803). It
// leaves out SASLprep, because a generated password is ASCII.
func verifier(password string) string {
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails
	return salted(password, salt)
}

func salted(password string, salt []byte) string {
	key, err := pbkdf2.Key(sha256.New, password, salt, iterations, sha256.Size)
	if err != nil {
		panic(err) // only for other lengths
	}
	sign := func(text string) []byte {
		h := hmac.New(sha256.New, key)
		_, _ = h.Write([]byte(text))
		return h.Sum(nil)
	}
	stored := sha256.Sum256(sign("Client Key"))
	base := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("SCRAM-SHA-256$%d:%s$%s:%s", iterations, base(salt), base(stored[:]), base(sign("Server Key")))
}
