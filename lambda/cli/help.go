package cli

import (
	_ "embed"
	"io/fs"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

// shared are parts of pages that several programs have.
//
//go:embed shared.txt
var shared string

// Help gives root and the commands below it the text and the examples of their
// pages. That of root is ROOT.txt, that of a command NAME.txt, and that of a
// command below it NAME-NAME.txt; a page is its text, then its examples. Pages may
// define parts for each other, and take values of facts.
func Help(root *cobra.Command, pages fs.FS, facts any) {
	all := template.Must(template.Must(template.New("").Parse(shared)).ParseFS(pages, "*/*.txt"))
	setHelp(root, root.Name(), all, facts)
	for _, cmd := range root.Commands() {
		setHelp(cmd, cmd.Name(), all, facts)
		for _, below := range cmd.Commands() {
			setHelp(below, cmd.Name()+"-"+below.Name(), all, facts)
		}
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
