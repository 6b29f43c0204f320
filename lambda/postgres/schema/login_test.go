package schema_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/postgrestest"
	"matchbook/lambda/postgres/schema"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// loginURL is a user of the programs that doesn't exist yet. Users belong to the server.
func loginURL(t *testing.T, owner, password string) (user, appURL string) {
	t.Helper()
	u := must.Get(url.Parse(owner))(t)
	user = `functions "` + uuid.NewString() + `"`
	u.User = url.UserPassword(user, password)
	return user, u.String()
}

func TestLogin(t *testing.T) {
	t.Parallel()
	owner := postgrestest.URL(t)
	conn := postgrestest.Conn(t, owner)
	user, app := loginURL(t, owner, `o'ne"%`)
	defer func() { postgrestest.Exec(t, conn, "DROP ROLE "+pgx.Identifier{user}.Sanitize()) }()
	for range 2 { // each deployment
		must.OK(t, schema.PutLogin(t.Context(), owner, app))
	}
	programs := postgrestest.Conn(t, app)
	postgrestest.Exec(t, programs, "INSERT INTO tenant (id, name) VALUES (gen_random_uuid(), 'a')")
	if _, err := programs.Exec(t.Context(), "CREATE TABLE a (b int)"); err == nil {
		t.Error("the programs may create tables")
	}
	stored := postgrestest.Value[string](t, conn, "SELECT rolpassword FROM pg_authid WHERE rolname = $1", user)
	if !strings.HasPrefix(stored, "SCRAM-SHA-256$4096:") {
		t.Errorf("stored %.20s", stored)
	}
	if err := schema.PutLogin(t.Context(), owner, owner); !errors.Is(err, schema.ErrOwnLogin) {
		t.Errorf("got %v", err)
	}
}

// The verifier of the exchange in RFC 7677 must prove both sides there.
func TestVerifierOfRFC(t *testing.T) {
	t.Parallel()
	base := base64.StdEncoding
	parts := strings.FieldsFunc(schema.Salted("pencil", must.Get(base.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ=="))(t)), func(r rune) bool { return r == '$' || r == ':' })
	const nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
	const exchange = "n=user,r=rOprNGfwEbeRWgbNEkqO,r=" + nonce + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=" + nonce
	sign := func(key []byte) []byte {
		h := hmac.New(sha256.New, key)
		h.Write([]byte(exchange))
		return h.Sum(nil)
	}
	stored, server := must.Get(base.DecodeString(parts[3]))(t), must.Get(base.DecodeString(parts[4]))(t)
	if got := base.EncodeToString(sign(server)); got != "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=" {
		t.Errorf("server's signature %s", got)
	}
	clientKey := must.Get(base.DecodeString("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="))(t)
	for i, b := range sign(stored) {
		clientKey[i] ^= b
	}
	if got := sha256.Sum256(clientKey); !bytes.Equal(got[:], stored) {
		t.Error("the client's proof does not fit")
	}
}
