package term

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Width is the number of columns of a page.
const Width = 100

// Page is text for a terminal. Callers must clean text from documents.
type Page struct {
	strings.Builder
	Width int // columns; 0 is the constant Width
}

// Line prints a line without trailing spaces.
func (p *Page) Line(format string, args ...any) {
	p.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " ") + "\n")
}

// Hang prints a head and a folded text, with a hanging indent.
func (p *Page) Hang(head, text string) {
	for i, line := range Fold(text, cmp.Or(p.Width, Width)-Columns(head)) {
		if i > 0 {
			head = strings.Repeat(" ", Columns(head))
		}
		p.Line("%s%s", head, line)
	}
}

// Print prints a result as text or as JSON.
func Print(out io.Writer, v interface{ Text() string }, asJSON bool) error {
	if asJSON {
		return JSON(out, v)
	}
	_, err := io.WriteString(out, v.Text())
	return err
}

// JSON prints v as indented JSON.
func JSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
