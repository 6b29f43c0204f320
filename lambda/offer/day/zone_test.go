package day

import (
	"archive/zip"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"matchbook/lambda/internal/skip"
)

// database is the time zone database of this version of Go, whatever the machine has.
var database = sync.OnceValues(func() (map[string][]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	files, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
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

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	data, err := database()
	if err != nil {
		skip.Missing(t, "no lib/time/zoneinfo.zip in the folder of go env GOROOT: install Go from go.dev: "+err.Error())
	}
	zone, err := time.LoadLocationFromTZData(name, data[name])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return zone
}

func TestZonesAreThoseOfGo(t *testing.T) {
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

func TestNamesOfOneMachineAreNoZones(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "Local", "localtime", "posixrules", "posix/Europe/Berlin", "right/Europe/Berlin",
		"europe/berlin", "../../etc/passwd", "Europe/../UTC", "/etc/localtime", `Europe\Berlin`, "CEST", "+01:00", "Mars/Olympus",
		"Europe", "zone.tab", strings.Repeat("x", 10_000)} {
		if got, err := Zone(name); err == nil {
			t.Errorf("%.40q is the zone %s", name, got)
		} else if len(err.Error()) > 200 {
			t.Errorf("%.40q: an error of %d bytes", name, len(err.Error()))
		}
	}
}
