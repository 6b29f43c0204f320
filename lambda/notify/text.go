package notify

import (
	"fmt"
	"strings"
)

// Text renders a message without any format: for a mail, a terminal, a log.
func Text(m Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", m.Title())
	if m.Count == 1 {
		fmt.Fprintf(&b, "%s\n\n", m.Failures[0].Error)
	}
	for _, f := range m.Facts() {
		fmt.Fprintf(&b, "%-11s %s\n", f.Name+":", f.Value)
	}
	if m.Count > 1 {
		for _, f := range m.Failures {
			fmt.Fprintf(&b, "\n%s\n    %s\n", f.Heading(), f.Error)
		}
		if m.Rest() > 0 {
			fmt.Fprintf(&b, "\nand %d more\n", m.Rest())
		}
	}
	if m.Link != "" {
		fmt.Fprintf(&b, "\n%s: %s\n", m.LinkText(), m.Link)
	}
	return b.String()
}
