// Package pagetest parses the repository's Markdown pages for tests: their commands with
// output, and their links. Use it to compare a page with the code.
package pagetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Page is a Markdown file. Path is relative to the root.
type Page struct{ Path, Text string }

// Command is a line of a page starting with "$ ", and the lines below it.
type Command struct {
	Page   string
	Line   string // without "$ " and without a trailing comment
	Output []string
}

// Link is a link of a page. Target is the text as written.
type Link struct{ Page, Text, Target string }

const readme = "README.md"

// Read returns all pages under root, the README first.
func Read(t testing.TB, root string) (pages []Page) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if skipped := map[string]bool{".git": true, "node_modules": true, "cdk.out": true}; skipped[entry.Name()] {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".md") {
			return nil
		}
		path, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(file)
		page := Page{filepath.ToSlash(path), string(text)}
		if page.Path == readme {
			pages = append([]Page{page}, pages...)
		} else {
			pages = append(pages, page)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

var comment = regexp.MustCompile(`\s+# .*$`)

// Commands returns the commands in the page's fenced blocks.
func (p Page) Commands() (commands []Command) {
	for i, block := range strings.Split(p.Text, "```") {
		if i%2 == 0 {
			continue
		}
		_, body, _ := strings.Cut(block, "\n") // after the language
		for line := range strings.Lines(body) {
			line = strings.TrimSuffix(line, "\n")
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				commands = append(commands, Command{p.Path, comment.ReplaceAllString(command, ""), nil})
			} else if n := len(commands); n > 0 && strings.Contains(body, "$ "+commands[n-1].Line) {
				commands[n-1].Output = append(commands[n-1].Output, line)
			}
		}
	}
	return commands
}

var (
	link   = regexp.MustCompile(`\[([^\]]+)\]\(([^)\s]+)\)`)
	fenced = regexp.MustCompile("(?s)```.*?```")
)

// Links returns the page's links to files of the repository.
func (p Page) Links() (links []Link) {
	for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(p.Text, ""), -1) {
		if !strings.Contains(found[2], "://") {
			links = append(links, Link{p.Path, found[1], found[2]})
		}
	}
	return links
}
