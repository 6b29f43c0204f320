// Package local runs Matchbook on one machine, as much like AWS as it can be:
// a strict Amazon SQS over HTTP (SQS), Lambda's event source mapping (Mapping),
// the Lambda Runtime API around the real bootstrap (Function), and a Clock
// that jumps over the waits. Stack puts them together with a database whose
// clock jumps as well.
//
// Everything here is as strict as what it stands for: what AWS refuses, it
// refuses; what AWS loses when a process dies, it loses. Nothing of it is used
// by the deployed functions.
package local
