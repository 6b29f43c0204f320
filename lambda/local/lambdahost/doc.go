// Package lambdahost runs a Lambda bootstrap as Lambda does: a Function starts
// its processes behind the Runtime API, ends them, and invokes them.
package lambdahost
