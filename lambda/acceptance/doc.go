// Package acceptance contains the tests of the whole line, and nothing else:
// the real bootstraps behind the Runtime API, the SDK over HTTP, PostgreSQL
// and a scripted model. Only the clocks are simulated. The rig is in
// rig_test.go.
package acceptance
