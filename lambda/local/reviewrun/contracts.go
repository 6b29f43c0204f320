package reviewrun

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// contracts are the files of a run. Folders are searched; a file named by itself is read whatever
// its extension is.
type contracts struct {
	files   []string
	folders bool
	left    []string // files of folders that aren't contracts by their extension
}

// extensions are the contracts of a folder. The last ones can't be read: they are listed with the
// way to save them, because a contract left out in silence looks reviewed.
var extensions = []string{".pdf", ".docx", ".txt", ".text", ".md", ".markdown", ".html", ".htm", ".xhtml",
	".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".doc", ".docm", ".dot", ".rtf", ".odt", ".pages", ".wpd"}

// contractsIn lists the files of the arguments, each once.
func contractsIn(paths []string) (c contracts, err error) {
	seen := map[string]bool{}
	add := func(path string) {
		if clean := filepath.Clean(path); !seen[clean] {
			seen[clean] = true
			c.files = append(c.files, path)
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			add(path) // an error of a file is for its reader
			continue
		}
		c.folders = true
		if err := c.search(path, add); err != nil {
			return c, err
		}
	}
	if len(c.files) == 0 {
		return c, fmt.Errorf("missing contract in %s: expected files such as .pdf, .docx, .txt, .md or .html", strings.Join(paths, ", "))
	}
	return c, nil
}

func (c *contracts) search(folder string, add func(string)) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		hidden := path != folder && strings.HasPrefix(d.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && d.IsDir():
			return filepath.SkipDir
		case hidden || d.IsDir():
		case slices.Contains(extensions, strings.ToLower(filepath.Ext(path))):
			add(path)
		default:
			c.left = append(c.left, path)
		}
		return nil
	})
}

// several reports whether the run shows a table.
func (c contracts) several() bool { return c.folders || len(c.files) > 1 }
