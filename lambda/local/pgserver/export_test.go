package pgserver

import "context"

// Find is find, for installed servers.
var Find = find

// MachineBin is where Start finds programs on this machine, and their version.
func MachineBin(ctx context.Context) (bin, version string, err error) {
	return Source("").programs(ctx, Options{}.where())
}

// NPMVersion and NPMServer are the versions of the package and of its server.
const (
	NPMVersion = npmVersion
	NPMServer  = npmServer
)

// Pins are the integrity of each pinned package by its name.
func Pins() map[string]string {
	pins := map[string]string{}
	for _, p := range npmPackages {
		pins[p.name()] = p.integrity
	}
	return pins
}

// Package is a package of a test's own, for this platform.
type Package struct{ Cache, NPM, Integrity, Loader string }

func (p Package) source(say func(string)) npmSource {
	return npmSource{npmPackage{"test", 1, p.Integrity, p.Loader}, p.Cache, p.NPM, say}
}

// Programs returns those of the package.
func (p Package) Programs(ctx context.Context, say func(string)) (bin, version string, err error) {
	return p.source(say).programs(ctx)
}

// ProgramsOf returns those of a source on a machine where servers are installed
// in the pattern, if any, and npm has package p.
func ProgramsOf(ctx context.Context, s Source, pattern string, p Package) (bin, version string, err error) {
	return s.programs(ctx, places{patterns: []string{pattern}, npm: p.source(func(string) {})})
}

// WithNPM is o with the package, in another cache and through another client.
func WithNPM(o Options, cache, npm string) Options {
	at := o.where()
	at.npm.cache, at.npm.npm = cache, npm
	o.Source, o.places = NPM, &at
	return o
}

// TemporaryFolder returns the folder that a server would have, and removes it.
func TemporaryFolder(ctx context.Context) (string, error) {
	bin, version, err := Source("").programs(ctx, Options{}.where())
	if err != nil {
		return "", err
	}
	f, err := openFolder(Options{}, bin, version)
	if err != nil {
		return "", err
	}
	f.discard()
	return f.socket, nil
}
