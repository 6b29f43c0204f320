package pgserver_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/internal/executable"
	"matchbook/lambda/internal/must"
	"matchbook/lambda/local/pgserver"
)

// install makes a folder with the two programs; postgres prints the version.
func install(t *testing.T, dir, version string) string {
	t.Helper()
	must.OK(t, os.MkdirAll(dir, 0o755))
	for name, text := range map[string]string{
		"initdb":   "#!/bin/sh\n",
		"postgres": "#!/bin/sh\necho 'postgres (PostgreSQL) " + version + "'\n",
	} {
		executable.Script(t, filepath.Join(dir, name), text)
	}
	return dir
}

func TestFindBin(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	pattern := filepath.Join(root, "lib", "*", "bin")
	install(t, filepath.Join(root, "lib", "9", "bin"), "9.6.24")
	install(t, filepath.Join(root, "lib", "15", "bin"), "15.18 (Debian 15.18-0+deb12u1)")
	newest := install(t, filepath.Join(root, "lib", "17", "bin"), "17beta1")
	onPath := install(t, filepath.Join(root, "own"), "14.9")
	old := install(t, filepath.Join(root, "old"), "12.22")
	clients := filepath.Join(root, "clients") // as a distribution's /usr/bin: no server
	links := filepath.Join(root, "links")
	for _, dir := range []string{clients, links} {
		must.OK(t, os.Mkdir(dir, 0o755))
	}
	must.OK(t, os.Symlink(filepath.Join(onPath, "initdb"), filepath.Join(links, "initdb")))

	tests := []struct {
		name         string
		path         string
		dir, version string
	}{
		{"PATH first", clients + ":" + onPath, onPath, "14.9"},
		{"through a link", links, onPath, "14.9"},
		{"PATH too old", old, newest, "17"},
		{"newest of the usual folders", clients, newest, "17"},
		{"no PATH", "", newest, "17"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir, version, err := pgserver.Find(test.path, []string{"/nowhere/*", pattern})
			if err != nil || dir != test.dir || version != test.version {
				t.Errorf("got %s, %s, %v; want %s, %s", dir, version, err, test.dir, test.version)
			}
		})
	}
}

func TestNotFoundHints(t *testing.T) {
	t.Parallel()
	old := install(t, filepath.Join(t.TempDir(), "old"), "12.22")
	npm := client(t, "cat $tarball >&2; exit 1",
		[]byte("npm error code ENOTFOUND"+strings.Repeat("\nnpm error and more", 20)))
	p := pgserver.Package{Cache: t.TempDir(), NPM: npm}
	_, _, err := pgserver.ProgramsOf(t.Context(), "", old, p)
	if !errors.Is(err, pgserver.ErrNotFound) {
		t.Fatalf("got %v, want ErrNotFound", err)
	}
	for _, text := range []string{
		"PATH", old + " (version 12.22, too old)", "13 or newer", "npm error code ENOTFOUND",
		"apt-get install postgresql", "dnf install", "brew install", "Node.js", "DATABASE_URL",
		"MATCHBOOK_TEST_DATABASE_URL",
	} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not mention %q:\n%v", text, err)
		}
	}
	if lines := strings.Count(err.Error(), "\n"); lines > 20 { // the usual folders take two more
		t.Errorf("%d lines do not fit on one screen:\n%v", lines, err)
	}
}

func TestReadSource(t *testing.T) {
	t.Parallel()
	const named = "postgres://named"
	tests := []struct {
		forced, url string
		source      pgserver.Source
		want        string
		problem     string
	}{
		{"", "", "", "", ""},
		{"", named, "", named, ""},
		{"url", named, "", named, ""},
		{"url", "", "", "", "MATCHBOOK_POSTGRES=url, but missing URL_HERE"},
		{"system", named, pgserver.System, "", ""},
		{"npm", named, pgserver.NPM, "", ""},
		{"NPM", named, "", "", `invalid MATCHBOOK_POSTGRES="NPM": must be url (URL_HERE), system (an installed server), npm (`},
	}
	for _, test := range tests {
		env := map[string]string{"MATCHBOOK_POSTGRES": test.forced, "URL_HERE": test.url}
		source, url, err := pgserver.ReadSource(func(name string) string { return env[name] }, "URL_HERE")
		if source != test.source || url != test.want {
			t.Errorf("%q with %q: got %q, %q; want %q, %q", test.forced, test.url, source, url, test.source, test.want)
		}
		if (err != nil) != (test.problem != "") || err != nil && !strings.Contains(err.Error(), test.problem) {
			t.Errorf("%q with %q: got error %v, want %q", test.forced, test.url, err, test.problem)
		}
	}
}

func TestSourceOrder(t *testing.T) {
	t.Parallel()
	installed := install(t, filepath.Join(t.TempDir(), "bin"), "14.9")
	delivered := delivering(t)
	noNPM := delivering(t)
	noNPM.NPM = "/nowhere/npm"
	tests := []struct {
		name    string
		source  pgserver.Source
		pattern string
		npm     pgserver.Package
		version string // "" for ErrNotFound
	}{
		{"installed comes first", "", installed, delivered, "14.9"},
		{"npm comes next", "", "/nowhere", delivered, "15.18"},
		{"neither", "", "/nowhere", noNPM, ""},
		{"npm forced", pgserver.NPM, installed, delivered, "15.18"},
		{"npm forced, but not there", pgserver.NPM, installed, noNPM, ""},
		{"system forced", pgserver.System, installed, noNPM, "14.9"},
		{"system forced, but not there", pgserver.System, "/nowhere", delivered, ""},
	}
	for _, test := range tests {
		_, version, err := pgserver.ProgramsOf(t.Context(), test.source, test.pattern, test.npm)
		if version != test.version || errors.Is(err, pgserver.ErrNotFound) != (test.version == "") {
			t.Errorf("%s: got version %q, %v; want %q", test.name, version, err, test.version)
		}
		if forced := "MATCHBOOK_POSTGRES=" + string(test.source) + " rules out"; err != nil &&
			strings.Contains(err.Error(), forced) != (test.source != "") {
			t.Errorf("%s: the error does not tell right what was forced: %v", test.name, err)
		}
	}
	if _, _, err := pgserver.ProgramsOf(t.Context(), "url", installed, delivered); err == nil {
		t.Error("an unknown source was taken")
	}
}
