// Command offer is the bootstrap of the offer function.
package main

import (
	"matchbook/lambda/function/offer"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

func main() { setup.WorkloadOf(manifest.Offer).Main(offer.Work) }
