package postgres_test

import (
	"crypto/tls"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/postgres"
)

// tlsOnly is a server that agrees to TLS and then says nothing more. It
// returns its address, and whether the client has agreed to its certificate.
func tlsOnly(t *testing.T, certificate tls.Certificate) (port string, agreed chan bool) {
	t.Helper()
	listener := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = listener.Close() })
	agreed = make(chan bool, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.ReadFull(conn, make([]byte, 8)) // SSLRequest
		_, _ = conn.Write([]byte("S"))
		secure := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}})
		// The client's first message comes only if it trusts us.
		_, err = secure.Read(make([]byte, 1))
		agreed <- err == nil
	}()
	_, port, _ = net.SplitHostPort(listener.Addr().String())
	return port, agreed
}

// The deployed functions find the certificates of RDS by PGSSLROOTCERT.
func TestTLSRootsFromEnv(t *testing.T) {
	example := httptest.NewTLSServer(http.NotFoundHandler()) // for its certificate, of example.com and 127.0.0.1
	example.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	must.OK(t, os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: example.Certificate().Raw}), 0o600))
	for _, tc := range []struct {
		name, host, roots string
		want              bool
	}{
		{"known", "127.0.0.1", file, true},
		{"not known", "127.0.0.1", "", false},
		{"known under another name", "localhost", file, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Setenv("PGSSLROOTCERT", tc.roots)
			port, agreed := tlsOnly(t, example.TLS.Certificates[0])
			db := must.Get(postgres.Open(t.Context(), "postgres://user:password@"+tc.host+":"+port+"/db?sslmode=verify-full", 1))(t)
			defer db.Close()
			err := db.Ping(t.Context())
			var refused *tls.CertificateVerificationError
			if got := <-agreed; got != tc.want || errors.As(err, &refused) == tc.want {
				t.Errorf("trusted: %v, %v; want %v", got, err, tc.want)
			}
		})
	}
}
