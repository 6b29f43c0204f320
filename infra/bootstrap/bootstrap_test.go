package bootstrap

import (
	"bytes"
	"context"
	"crypto/x509"
	"debug/buildinfo"
	"debug/elf"
	"encoding/pem"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/infra/settings"
	"matchbook/lambda/local/lambdahost"
	"matchbook/lambda/manifest"
	"matchbook/lambda/postgres/postgrestest"
)

// root is the folder of the module, and scratch one for what is built.
const root = "../.."

var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "bootstrap")
	if err != nil {
		panic(err)
	}
	scratch = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// maxBootstrap bounds the programs, in bytes; that of ingest has PDFium in it, and draws pages, that of
// web a server of HTTP, the store of files since it reads texts, a parser of HTML, and the
// answers to offers, and that of the console pages, a client of an issuer, the store of files, and
// the checks of typed values, and the explanation of a set of offers.
func maxBootstrap(name string) int64 {
	switch name {
	case manifest.Web.Name:
		return 26_500_000
	case manifest.Console.Name:
		return 29_700_000
	case manifest.Ingest.Name:
		return 25_800_000
	}
	return 15_600_000
}

// packages are the functions that are looked at, by name: usually the first one,
// and the largest; with -thorough all.
func packages() map[string]string {
	all := settings.ManifestFacts().Packages(settings.Config{ReviewURL: true, Console: settings.OIDC})
	// The flag is of lambda/internal/testenv, which is closed to infra, but linked by postgrestest.
	if flag.Lookup("thorough").Value.String() == "true" {
		return all
	}
	return map[string]string{manifest.Match.Name: all[manifest.Match.Name], manifest.Ingest.Name: all[manifest.Ingest.Name]}
}

// built are the functions as they are deployed; each is built once.
var built = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(scratch, "built")
	for name, pkg := range packages() {
		if err := build(context.Background(), root, filepath.Join(dir, name), pkg, "arm64"); err != nil {
			return "", err
		}
	}
	return dir, nil
})

func builtBootstrap(t *testing.T, name string) string {
	t.Helper()
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name, "bootstrap")
}

func TestBootstrapSize(t *testing.T) {
	t.Parallel()
	for name := range packages() {
		file := builtBootstrap(t, name)
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB", name, float64(info.Size())/1e6)
		if info.Size() > maxBootstrap(name) || info.Mode().Perm() != 0o755 { // the archive takes the mode along
			t.Errorf("%s: %d bytes, mode %s", name, info.Size(), info.Mode())
		}
		program, err := elf.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if program.Machine != elf.EM_AARCH64 || program.Class != elf.ELFCLASS64 || program.Type != elf.ET_EXEC {
			t.Errorf("%s: %s %s %s", name, program.Machine, program.Class, program.Type)
		}
		if libraries, _ := program.ImportedLibraries(); len(libraries) > 0 || program.Section(".debug_info") != nil {
			t.Errorf("%s: needs %v, or has debug information", name, libraries)
		}
		_ = program.Close()
	}
}

// The hash of the asset decides whether a function is deployed again.
func TestReproducibleBuild(t *testing.T) {
	t.Parallel()
	first := builtBootstrap(t, "match")
	elsewhere := t.TempDir()
	for _, folder := range []string{"lambda", "migrations"} {
		if err := os.CopyFS(filepath.Join(elsewhere, folder), os.DirFS(filepath.Join(root, folder))); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(elsewhere, file), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	second := t.TempDir()
	if err := build(t.Context(), elsewhere, second, settings.ManifestFacts().Functions[0].Package, "arm64"); err != nil {
		t.Fatal(err)
	}
	a, err1 := os.ReadFile(first)
	b, err2 := os.ReadFile(filepath.Join(second, "bootstrap"))
	if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("%d and %d bytes differ: %v, %v", len(a), len(b), err1, err2)
	}
	if here, err := filepath.Abs(root); err != nil || bytes.Contains(a, []byte(here)) {
		t.Errorf("the folder is in the bootstrap: %v", err)
	}
}

func TestBootstrapLinksNoCDK(t *testing.T) {
	t.Parallel()
	for name := range packages() {
		info, err := buildinfo.ReadFile(builtBootstrap(t, name))
		if err != nil {
			t.Fatal(err)
		}
		if len(info.Deps) < 5 {
			t.Errorf("%s: made of %v", name, info.Deps)
		}
		for _, module := range info.Deps {
			if slices.ContainsFunc([]string{"jsii", "constructs", "cdk"},
				func(word string) bool { return strings.Contains(module.Path, word) }) {
				t.Errorf("%s holds %s", name, module.Path)
			}
		}
	}
}

// The certificates lie beside each bootstrap.
func TestCAFileNextToBootstrap(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	folder := t.TempDir()
	want := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := AddAuthorities(map[string]string{"match": folder}, want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(folder, "database-ca.pem"))
	if info, _ := os.Stat(filepath.Join(folder, "database-ca.pem")); err != nil || !bytes.Equal(got, want) ||
		info.Mode().Perm() != 0o644 {
		t.Errorf("got %q, %v", got, err)
	}
	if err := AddAuthorities(map[string]string{"match": folder}, nil); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("without the setting there is still %v, %v", entries, err)
	}
}

// Each Region has a root for each kind of key, and all outlive the stack.
func TestRDSRoots(t *testing.T) {
	t.Parallel()
	roots := map[string]int{}
	for rest := RDS; ; {
		block, after := pem.Decode(rest)
		if block == nil {
			break
		}
		rest = after
		c, err := x509.ParseCertificate(block.Bytes)
		if err != nil || !c.IsCA || c.CheckSignatureFrom(c) != nil || c.NotAfter.Year() < 2061 {
			t.Fatalf("%v: %v", c, err)
		}
		region, _, ok := strings.Cut(strings.TrimPrefix(c.Subject.CommonName, "Amazon RDS "), " Root CA ")
		if !ok {
			t.Errorf("unknown %s", c.Subject)
		}
		roots[region]++
	}
	for _, region := range []string{"eu-central-1", "eu-west-1", "us-east-1", "ap-southeast-2"} {
		if roots[region] != 3 {
			t.Errorf("%d roots of %s", roots[region], region)
		}
	}
	if len(roots) != 27 {
		t.Errorf("%d Regions: %v", len(roots), roots)
	}
}

// The ARM bootstrap matches a document under an emulated processor as its twin
// does natively.
func TestARMAnswersAsNative(t *testing.T) {
	t.Parallel()
	qemu, err := exec.LookPath("qemu-aarch64-static")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI skips no test: install qemu-user-static")
		}
		t.Skip("skipped without qemu-aarch64-static: install qemu-user-static to run the ARM bootstrap here")
	}
	wrapper := filepath.Join(t.TempDir(), "bootstrap")
	if err := os.WriteFile(wrapper, []byte("#!/bin/sh\nexec "+qemu+" "+builtBootstrap(t, "match")+"\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	event, err := os.ReadFile("../../testdata/events/one-document.json")
	if err != nil {
		t.Fatal(err)
	}
	native, err := lambdahost.Bootstrap(t.Context(), t.TempDir(), manifest.Match.Package, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, bootstrap := range map[string]string{"ARM": wrapper, "native": native} {
		if answer, status := answerOf(t, bootstrap, event); answer != `{"batchItemFailures":[]}` ||
			status != "succeeded" {
			t.Errorf("%s: got %s, and the document %s", name, answer, status)
		}
	}
}

// answerOf returns the function's answer to an event, and the document's status
// after it.
func answerOf(t *testing.T, bootstrap string, event []byte) (answer, status string) {
	t.Helper()
	url := postgrestest.URL(t)
	conn := postgrestest.Conn(t, url)
	for _, sql := range []string{
		"INSERT INTO tenant VALUES ('10000000-0000-4000-8000-000000000001', 'Testers')",
		`INSERT INTO document (id, tenant_id, type, received_at, structured_data, matching_status)
			VALUES ('10000000-0000-4000-8000-000000000101', '10000000-0000-4000-8000-000000000001', 'purchase-order', now(), '{"number": "4500000101", "supplier": {"name": "Testers Ltd"}}', 'pending')`,
	} {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var logs bytes.Buffer
	f := lambdahost.New(lambdahost.Config{
		Name: "match", Bootstrap: bootstrap, Timeout: 10 * time.Minute, Logs: &logs,
		Env: []string{"DATABASE_URL=" + url, "QUEUE_URL=https://sqs.us-east-1.amazonaws.com/000000000000/match",
			"MATCH_MODE=rules", "AWS_REGION=us-east-1"},
	})
	got, err := f.Invoke(t.Context(), event)
	_ = f.Close()
	if err != nil {
		t.Fatalf("%s: %v\n%s", bootstrap, err, logs.String())
	}
	if err := conn.QueryRow(t.Context(), "SELECT matching_status FROM document").Scan(&status); err != nil {
		t.Fatal(err)
	}
	return string(got), status
}
