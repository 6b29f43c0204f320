// Package score finds how well two documents fit together: the evidence for and
// against the pair, in points. It reads no database and asks no model.
//
// # From a document to a score
//
//   - Read parses and normalises a document: its companies, numbers, citations,
//     items and amounts take a comparable form (stored.go, normalise.go). Pairs
//     scores it against candidates.
//   - Two documents are scored only if they share a key: a number, or a company
//     together with an amount, an item or a time (keys.go), or if they are of
//     one company and their texts are similar (embedding.go).
//   - Document.Score collects the evidence, looking at nothing but the two
//     documents. A pair out of the question has a reason, the veto, in place of
//     points (pair.go).
//
// All kinds of evidence and their points are one table, in weights.go. It has
// those of the competition as well, which package rules adds.
//
// # Guarantees
//
// The score of two documents depends on nothing but the two, and is the same
// from both sides (TestPairIsTheSameFromBothSides). Two documents find each
// other by the same keys, whichever comes later (TestKeysFindBothWays).
// Documents of any content are scored in bounded time and memory
// (TestHostileDocumentsAreBounded).
package score
