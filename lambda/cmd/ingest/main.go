// Command ingest is the bootstrap of the ingest function.
package main

import (
	"runtime/debug"

	"matchbook/lambda/function/ingest"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

func main() {
	// A small file can unpack to hundreds of MB of short-lived garbage. Without a limit the
	// collector lets the heap double first. The last quarter is for memory outside the heap.
	debug.SetMemoryLimit(int64(manifest.Ingest.MemoryMB) << 20 / 4 * 3)
	setup.Main(manifest.Ingest.Name, load, ingest.Opener(setup.WorkloadOf(manifest.Ingest)))
}

func load(env setup.Env) (setup.Config, error) { return setup.LoadFunction(env, manifest.Ingest) }
