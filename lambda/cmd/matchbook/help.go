package main

import (
	"embed"
	"fmt"
	"strings"
	"text/template"
	"time"

	"matchbook/lambda/job/republish"
	"matchbook/lambda/local/drill"
	"matchbook/lambda/manifest"

	"github.com/spf13/cobra"
)

// The help of a command is help/NAME.txt: its text, then its examples. What
// several commands share is in help/shared.txt.
//
//go:embed help/*.txt
var helpFiles embed.FS

var helpPages = template.Must(template.ParseFS(helpFiles, "help/*.txt"))

// helpFacts are the values that a page takes from the code.
var helpFacts = map[string]any{
	"Deliveries": manifest.Match.MaxReceiveCount(),
	"Visibility": fmt.Sprintf("%d minutes", manifest.Match.Visibility()/time.Minute),
	"Batch":      republish.Batch,
	"Shown":      republish.Shown,
	"Faults":     drill.Faults,
}

// setHelp gives a command the text and the examples of its page.
func setHelp(cmd *cobra.Command) {
	var page strings.Builder
	if err := helpPages.ExecuteTemplate(&page, cmd.Name()+".txt", helpFacts); err != nil {
		panic(err) // the pages are built in
	}
	text, examples, _ := strings.Cut(page.String(), "Examples:\n")
	cmd.Long, cmd.Example = strings.TrimSpace(text), strings.TrimRight(examples, "\n")
}
