// Package chunk divides the text of a contract into parts that one question to
// a model holds, and makes that text of a file.
//
// A part has about 700 words: 22 of them are a contract of 40 pages. Smaller
// ones would cost more calls and lose what a clause refers to; in larger ones
// models overlook clauses. A part ends where the contract does: before a heading
// if one is near, else before a clause, a paragraph or a sentence, and within a
// sentence only if that is longer than the largest part. Where this divides a
// clause, the next part repeats the last sentences, so that a short passage
// stands whole in one of both.
//
// Split is a function of the text alone, takes linear time, and keeps no more
// than a part in memory besides its result.
package chunk
