// Package reference reads the numbers that business documents go by: it
// brings a number into a form in which different spellings of it agree, says
// how much a shared number means, and finds the numbers that a text cites.
//
//	reference.Canonical("RE-2026-0042")     // "RE202642", as of "RE 2026/42"
//	reference.Loose("45O0010046")           // "4500010046", as of "4500010046"
//	reference.Revision("599083 Rev. 2")     // "599083", "R2"
//	reference.Strength("4711")              // 0.5
//	reference.Find("Zu Rechnung 2022/0374") // invoice 2022/0374
//
// There are two keys because there are two questions. Equal Canonical forms
// are one number that was typed differently. Equal Loose forms may also be
// one number that was misread, or two numbers that look alike; they propose,
// and something else has to agree.
//
// Every function is pure, takes any bytes and needs time linear in their
// number.
package reference
