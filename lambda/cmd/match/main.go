// Command match is the bootstrap of the match function.
package main

import (
	"matchbook/lambda/function/match"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

func main() { setup.WorkloadOf(manifest.Match).Main(match.Work) }
