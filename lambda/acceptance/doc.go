// Package acceptance contains nothing but end-to-end tests: the real bootstraps behind the
// Runtime API, the SDK over HTTP, PostgreSQL and a scripted model. Only the clocks are
// simulated. See rig_test.go for the rig.
package acceptance
