package term

import (
	"io"
	"os"

	"golang.org/x/term"
)

// WidthOf returns the number of columns of a terminal, or Width if out isn't one.
func WidthOf(out io.Writer) int {
	if f, ok := out.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 { //nolint:gosec // a file descriptor is small
			return columns
		}
	}
	return Width
}
