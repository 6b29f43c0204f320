// Command web is the bootstrap of the web function.
package main

import (
	"matchbook/lambda/function/web"
	"matchbook/lambda/manifest"
	"matchbook/lambda/setup"
)

func main() { setup.Main(manifest.Web.Name, setup.LoadWeb, web.Open) }
