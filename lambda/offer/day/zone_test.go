package day

import (
	"archive/zip"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/must"
	"matchbook/lambda/internal/testenv"
)

// database is the time zone database of this version of Go, whatever the machine has.
var database = sync.OnceValues(func() (map[string][]byte, error) {
	root, err := goRoot()
	if err != nil {
		return nil, err
	}
	files, err := zip.OpenReader(filepath.Join(root, "lib", "time", "zoneinfo.zip"))
	if err != nil {
		return nil, err
	}
	defer files.Close()
	data := map[string][]byte{}
	for _, f := range files.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		file, err := f.Open()
		if err != nil {
			return nil, err
		}
		if data[f.Name], err = io.ReadAll(file); err != nil {
			return nil, err
		}
	}
	return data, nil
})

// goRoot returns Go's folder.
var goRoot = sync.OnceValues(func() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(root)), err
})

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	data, err := database()
	if err != nil {
		testenv.Missing(t, "no lib/time/zoneinfo.zip in the folder of go env GOROOT: install Go from go.dev: "+err.Error())
	}
	zone, err := time.LoadLocationFromTZData(name, data[name])
	must.OK(t, err, name)
	return zone
}

func TestZonesMatchGo(t *testing.T) {
	t.Parallel()
	zone(t, "UTC") // or it skips
	data, _ := database()
	var want []string
	for name := range data {
		want = append(want, name)
	}
	slices.Sort(want)
	if got := Zones(); !slices.Equal(got, want) {
		t.Errorf("zones.txt has %d names, Go's database %d: make it anew from lib/time/zoneinfo.zip of Go's folder",
			len(got), len(want))
	}
	for _, name := range want {
		if _, err := Zone(name); err != nil {
			t.Error(err)
		}
	}
}

func TestLocalNamesAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Local", "localtime", "posixrules", "posix/Europe/Berlin", "right/Europe/Berlin",
		"europe/berlin", "../../etc/passwd", "Europe/../UTC", "/etc/localtime", `Europe\Berlin`, "CEST", "+01:00",
		"Mars/Olympus", "Europe", "zone.tab", strings.Repeat("x", 10_000)} {
		if got, err := Zone(name); err == nil {
			t.Errorf("%.40q is the zone %s", name, got)
		} else if len(err.Error()) > 200 {
			t.Errorf("%.40q: an error of %d bytes", name, len(err.Error()))
		}
	}
}

func TestEmbeddedVersion(t *testing.T) {
	t.Parallel()
	root, err := goRoot()
	if err != nil {
		testenv.Missing(t, "no go command: install Go from go.dev: "+err.Error())
	}
	script, err := os.ReadFile(filepath.Join(root, "lib", "time", "update.bash"))
	if err != nil {
		testenv.Missing(t, "no lib/time/update.bash in the folder of go env GOROOT: install Go from go.dev: "+err.Error())
	}
	if want := "\nDATA=" + Embedded + "\n"; !strings.Contains(string(script), want) {
		t.Errorf("lib/time/update.bash of Go's folder does not contain %q: Go's database has another version", want)
	}
}

func TestSourceIsFirstFolder(t *testing.T) {
	t.Parallel()
	has := func(files ...string) func(string) (fs.FileInfo, error) {
		return func(name string) (fs.FileInfo, error) {
			if slices.Contains(files, name) {
				return nil, nil
			}
			return nil, fs.ErrNotExist
		}
	}
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, "time/tzdata, version 2025c"},
		{[]string{"/usr/share/zoneinfo/UTC"}, "time/tzdata, version 2025c"},
		{[]string{"/etc/zoneinfo/Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin"}, "/usr/share/zoneinfo/"},
		{[]string{"/etc/zoneinfo/Europe/Berlin"}, "/etc/zoneinfo/"},
	} {
		if got := Source(has(c.files...)); got != c.want {
			t.Errorf("with %v zones come from %s, want %s", c.files, got, c.want)
		}
	}
}
