// Package reference reads the numbers of business documents: it normalises their spellings,
// grades a shared number as evidence, and finds the numbers cited by a text.
//
//	reference.Canonical("RE-2026-0042")     // "RE202642", as of "RE 2026/42"
//	reference.Loose("45O0010046")           // "4500010046", as of "4500010046"
//	reference.Revision("599083 Rev. 2")     // "599083", "R2"
//	reference.Strength("4711")              // 0.5
//	reference.Find("Zu Rechnung 2022/0374") // invoice 2022/0374
//	reference.Type("Bestell-Nr.")           // "purchase-order"
//
// Use Canonical to ask whether two numbers are one number in different spellings. Use Loose to
// ask whether they may be one number, once misread; they may also be two that look alike, so
// you must have other evidence.
//
// A citation is often printed with more or less than the document's number. Use Read to take
// both apart and Agrees to grade how much of one is in the other. Agreeing numbers share one
// of their Keys, unless they agree only nearly or in a short part
// (TestAgreeingNumbersShareKey).
//
// Find knows the labels of four languages, and names of documents in the other EU languages and
// in Turkish (languages.go). Use Mentions for possible numbers in a text of any
// language.
//
// Every function is pure, accepts any bytes and runs in linear time.
package reference
