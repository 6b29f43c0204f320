package ingest

import (
	"bytes"
	"unicode/utf8"

	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/transcript"
)

// The text of a file that is read: more than 1,000 pages of a contract have.
const (
	maxLines      = 100_000
	maxCharacters = 5_000_000
)

// extent counts the text of a file. A file of a few bytes can unpack to more
// text than there is memory.
type extent struct{ lines, characters int }

// add counts a page; a file beyond the limits is a permanent failure.
func (e *extent) add(p transcript.Page) error {
	e.lines += len(p.Lines)
	e.characters += p.Characters()
	return e.check()
}

func (e *extent) check() error {
	if e.lines > maxLines || e.characters > maxCharacters {
		return failure.Permanently("the file has more than %d lines or %d characters of text: split it",
			maxLines, maxCharacters)
	}
	return nil
}

// checkText refuses a text file beyond the limits, before it is decoded.
func checkText(data []byte) error {
	e := extent{bytes.Count(data, []byte("\n")), utf8.RuneCount(data)}
	return e.check()
}
