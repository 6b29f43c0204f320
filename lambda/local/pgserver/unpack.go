package pgserver

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// contentsFile lists the original contents of a package's folder.
const contentsFile = "contents.txt"

// unpack creates the folder dir from a package's tarball, readable for all. It also creates
// the symbolic links otherwise made by the package's install script.
func unpack(tarball []byte, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // confines writes to dir
	if err != nil {
		return err
	}
	defer root.Close()
	if err := unpackFiles(tarball, root); err != nil {
		return err
	}
	if err := makeLinks(root); err != nil {
		return err
	}
	// The umask of MkdirAll may have closed folders to the server's user.
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		return root.Chmod(name, 0o755)
	})
	if err != nil {
		return err
	}
	list, err := contents(root)
	if err != nil {
		return err
	}
	return writeFile(root, contentsFile, 0, bytes.NewReader(list))
}

func unpackFiles(tarball []byte, root *os.Root) error {
	zip, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return err
	}
	for files := tar.NewReader(zip); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		_, name, _ := strings.Cut(header.Name, "/") // everything is below package/
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("unsupported entry %s: expected a file", header.Name)
		}
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := writeFile(root, name, header.FileInfo().Mode(), files); err != nil {
			return err
		}
	}
}

// writeFile writes a file readable for all under any umask, and executable if mode allows it.
func writeFile(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Chmod(0o644|mode&0o111), file.Close())
}

// makeLinks creates the links listed in the package, because npm tarballs can't contain any
// and postgres would not find its libraries.
func makeLinks(root *os.Root) error {
	list, err := root.ReadFile("native/pg-symlinks.json")
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string } // the link is at Target
	if err := json.Unmarshal(list, &links); err != nil {
		return fmt.Errorf("parse pg-symlinks.json: %w", err)
	}
	for _, link := range links {
		to, err := filepath.Rel(path.Dir(link.Target), link.Source)
		if err != nil {
			return err
		}
		if err := root.Symlink(to, link.Target); err != nil {
			return err
		}
	}
	return nil
}

// intact reports whether dir still has the contents unpack wrote: cache cleaners delete files,
// and a crash of the machine may leave them empty.
func intact(dir string) bool {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return false
	}
	defer root.Close()
	want, err := root.ReadFile(contentsFile)
	if err != nil {
		return false
	}
	got, err := contents(root)
	return err == nil && bytes.Equal(got, want)
}

// contents lists everything in a folder except the list itself: mode and name, and a file's
// checksum or a link's target.
func contents(root *os.Root) ([]byte, error) {
	var list bytes.Buffer
	err := fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == contentsFile {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s %s", info.Mode(), name)
		switch {
		case info.Mode().IsRegular():
			err = checksum(&list, root, name)
		case info.Mode()&fs.ModeSymlink != 0:
			var target string
			target, err = root.Readlink(name)
			fmt.Fprintf(&list, " -> %s", target)
		}
		list.WriteByte('\n')
		return err
	})
	return list.Bytes(), err
}

func checksum(list io.Writer, root *os.Root, name string) error {
	file, err := root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli)) // fast, and good enough against accidents
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	fmt.Fprintf(list, " %08x", sum.Sum32())
	return nil
}
