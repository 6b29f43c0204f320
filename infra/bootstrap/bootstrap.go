// Package bootstrap builds the functions for deployment: each is a program of
// the name bootstrap, in a folder of its own.
package bootstrap

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// BuildAll builds the functions, each as a file named bootstrap in a folder of
// its own below dir, from its main package, and returns the
// folders by name.
func BuildAll(ctx context.Context, dir string, packages map[string]string) (map[string]string, error) {
	folders := map[string]string{}
	for name, pkg := range packages {
		folders[name] = filepath.Join(dir, name)
		if err := build(ctx, ".", folders[name], pkg, "arm64"); err != nil {
			return nil, err
		}
	}
	return folders, nil
}

// Authorities is the file beside each bootstrap with the certificates that
// signed the database's: Lambda's own image lacks those of RDS.
const Authorities = "database-ca.pem"

// AddAuthorities puts a copy of the file into the folders, or removes an
// earlier one.
func AddAuthorities(folders map[string]string, file string) error {
	for _, folder := range folders {
		to := filepath.Join(folder, Authorities)
		if file == "" {
			if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			continue
		}
		pem, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(to, pem, 0o644); err != nil {
			return err
		}
		if err := os.Chmod(to, 0o644); err != nil { // as with the bootstrap
			return err
		}
	}
	return nil
}

// build makes the same bytes of the same source by the same Go, on any machine:
// no paths, no build id, no commit and no C library are in them. lambda.norpc
// leaves out the code for Lambda's old go1.x runtime, a quarter of the size.
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
	// Its mode goes into the archive, and Lambda runs it as another user than
	// the one whose umask applied here.
	return os.Chmod(filepath.Join(dir, "bootstrap"), 0o755)
}

// Fingerprint changes when the function in the folder does.
func Fingerprint(folder string) string {
	data, err := os.ReadFile(filepath.Join(folder, "bootstrap"))
	if err != nil {
		panic(err) // it was built just now
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
