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

// contentsFile lists the contents of a package's folder when it was made.
const contentsFile = "contents.txt"

// unpack makes the folder dir from a package's tarball, with the symbolic
// links that the package's install script would make, and readable for all.
func unpack(tarball []byte, dir string) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // nothing gets out of dir
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
	// MkdirAll heeds the umask, which may close folders to the server's user.
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
		_, name, _ := strings.Cut(header.Name, "/") // all is below package/
		if header.Typeflag != tar.TypeReg {
			return fmt.Errorf("%s is not a file", header.Name)
		}
		if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return err
		}
		if err := writeFile(root, name, header.FileInfo().Mode(), files); err != nil {
			return err
		}
	}
}

// writeFile writes a file that all may read, under any umask, and execute if
// mode allows it.
func writeFile(root *os.Root, name string, mode fs.FileMode, content io.Reader) error {
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, content)
	return errors.Join(err, file.Chmod(0o644|mode&0o111), file.Close())
}

// makeLinks makes the links that the package lists, as a tarball of npm holds
// none. Without them postgres does not find its libraries.
func makeLinks(root *os.Root) error {
	list, err := root.ReadFile("native/pg-symlinks.json")
	if err != nil {
		return err
	}
	var links []struct{ Source, Target string } // the link is at Target
	if err := json.Unmarshal(list, &links); err != nil {
		return fmt.Errorf("pg-symlinks.json: %w", err)
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

// intact reports whether dir still has the contents that unpack made: cleaners
// of caches take files, and a crash of the machine empties them.
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

// contents lists everything in a folder but the list itself: mode, name, and a
// file's checksum or a link's target.
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
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli)) // fast, and against accidents only
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	fmt.Fprintf(list, " %08x", sum.Sum32())
	return nil
}
