package checkup_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres/checkup"
)

//nolint:paralleltest // pgx reads the process's own environment
func TestDoubt(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	must.OK(t, os.WriteFile(roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	const anybody, sameAuthority = "anybody may answer as the server", "any server with a certificate of the same authority may answer"
	for _, tc := range []struct{ url, roots, want string }{
		{"postgres://u:p@db.example.com/d?sslmode=verify-full", "", ""},
		{"postgres://u:p@db.example.com/d?sslmode=verify-full", roots, ""},
		{"postgres://u:p@db.example.com/d?sslmode=verify-ca", roots, sameAuthority},
		{"postgres://u:p@db.example.com/d?sslmode=require", roots, sameAuthority},
		{"postgres://u:p@db.example.com/d?sslmode=require", "", anybody},
		{"postgres://u:p@db.example.com/d?sslmode=prefer", "", "the connection is not encrypted if the server refuses"},
		{"postgres://u:p@db.example.com/d", "", "the connection is not encrypted if the server refuses"},
		{"postgres://u:p@db.example.com/d?sslmode=disable", "", "the connection is not encrypted"},
		{"postgres://u:p@10.0.0.1/d?sslmode=disable", "", "the connection is not encrypted"},
		{"postgres://u:p@127.0.0.1/d?sslmode=disable", "", ""},
		{"postgres://u:p@[::1]/d?sslmode=disable", "", ""},
		{"postgres://u@localhost/d", "", ""},
		{"postgres:///d?host=/var/run", "", ""},
	} {
		t.Setenv("PGSSLROOTCERT", tc.roots)
		if got, err := checkup.Doubt(tc.url); got != tc.want || err != nil {
			t.Errorf("%s with %q: got %q, %v, want %q", tc.url, tc.roots, got, err, tc.want)
		}
	}
	if _, err := checkup.Doubt("postgres://PLANTED:x"); err == nil || err.Error() != "invalid URL of the database, or unreadable certificates" {
		t.Errorf("got %v", err)
	}
}
