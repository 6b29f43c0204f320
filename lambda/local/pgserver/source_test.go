package pgserver_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"matchbook/lambda/local/pgserver"
)

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
		{"url", "", "", "", "MATCHBOOK_POSTGRES=url, but URL_HERE is not set"},
		{"system", named, pgserver.System, "", ""},
		{"npm", named, pgserver.NPM, "", ""},
		{"NPM", named, "", "", `MATCHBOOK_POSTGRES="NPM" must be url (URL_HERE), system (an installed server), npm (`},
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

func TestSourcesInTheirOrder(t *testing.T) {
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
		if forced := "MATCHBOOK_POSTGRES=" + string(test.source) + " allows"; err != nil &&
			strings.Contains(err.Error(), forced) != (test.source != "") {
			t.Errorf("%s: the error does not tell right what was forced: %v", test.name, err)
		}
	}
	if _, _, err := pgserver.ProgramsOf(t.Context(), "url", installed, delivered); err == nil {
		t.Error("an unknown source was taken")
	}
}
