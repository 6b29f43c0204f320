// Command ingest is the Lambda function that reads the files named by an
// SQS event.
package main

import (
	"runtime/debug"

	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

func main() {
	// A file of a few bytes can unpack to hundreds of MB, which are garbage soon.
	// Without a limit the collector waits until as much again was allocated. The
	// last quarter is for memory that it does not know.
	debug.SetMemoryLimit(int64(manifest.Ingest.MemoryMB) << 20 / 4 * 3)
	setup.Main(manifest.Ingest.Name, load, open)
}

func load(env setup.Env) (setup.Config, error) { return setup.LoadFunction(env, manifest.Ingest) }
