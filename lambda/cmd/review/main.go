// Command review is the bootstrap of the review function.
package main

import (
	"matchbook/lambda/function/review"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

func main() { setup.WorkloadOf(manifest.Review).Main(review.Work) }
