package cli

import (
	_ "embed"
	"io/fs"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

// shared holds the parts of pages common to several programs.
//
//go:embed shared.txt
var shared string

// Help gives root and every command below it the text and the examples of its page:
// ROOT.txt for root, NAME.txt for a command, NAME-NAME.txt for one below it. A page is
// text, then "Examples:". Pages may define parts for each other, and take values of facts.
func Help(root *cobra.Command, pages fs.FS, facts any) {
	all := template.Must(template.Must(template.New("").Parse(shared)).ParseFS(pages, "*/*.txt"))
	setHelp(root, root.Name(), all, facts)
	for _, cmd := range root.Commands() {
		setHelpBelow(cmd, cmd.Name(), all, facts)
	}
}

func setHelpBelow(cmd *cobra.Command, name string, pages *template.Template, facts any) {
	setHelp(cmd, name, pages, facts)
	for _, below := range cmd.Commands() {
		setHelpBelow(below, name+"-"+below.Name(), pages, facts)
	}
}

func setHelp(cmd *cobra.Command, name string, pages *template.Template, facts any) {
	if pages = pages.Lookup(name + ".txt"); pages == nil {
		return
	}
	var page strings.Builder
	if err := pages.Execute(&page, facts); err != nil {
		panic(err) // the pages are built in
	}
	text, examples, _ := strings.Cut(page.String(), "Examples:\n")
	cmd.Long, cmd.Example = strings.TrimSpace(text), strings.TrimRight(examples, "\n")
}
