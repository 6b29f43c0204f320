// Package reference reads the numbers of business documents. It brings a number
// into a form that is equal for its different spellings, grades the strength of
// a shared number as evidence, and finds the numbers that a text cites.
//
//	reference.Canonical("RE-2026-0042")     // "RE202642", as of "RE 2026/42"
//	reference.Loose("45O0010046")           // "4500010046", as of "4500010046"
//	reference.Revision("599083 Rev. 2")     // "599083", "R2"
//	reference.Strength("4711")              // 0.5
//	reference.Find("Zu Rechnung 2022/0374") // invoice 2022/0374
//	reference.Type("Bestell-Nr.")           // "purchase-order"
//
// A citation is often printed with more than the number of a document, or with
// less: Read takes a number apart, and Agrees grades how much of the one is in the
// other. Numbers that agree have one of their Keys in common, except in a short
// part (TestNumbersThatAgreeHaveAKeyInCommon). Find knows the labels of four
// languages; Mentions lists what could be a number in a text of any language.
//
// There are two keys for two questions. Numbers with equal Canonical forms are
// one number in different spellings. Numbers with equal Loose forms may also be
// one number, once misread, or two numbers that look alike: they need other
// evidence.
//
// Every function is pure, accepts any bytes and runs in linear time.
package reference
