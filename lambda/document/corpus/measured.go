package corpus

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Corpus is a folder of documents under one condition, with its true links.
type Corpus struct {
	Dir, Condition string
	Documents      []Document
	Links          []Pair // of the whole corpus, even if Choose limits the documents
}

// Read reads a corpus, or returns an error for the first fault.
func Read(dir, condition string) (c Corpus, err error) {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return c, fmt.Errorf("%s does not exist", dir)
	case err != nil:
		return c, err
	case !info.IsDir():
		return c, fmt.Errorf("expected a folder, not the file %s; use the folder with links.csv and documents.%s.jsonl",
			dir, condition)
	}
	links, err := openFolder(filepath.Join(dir, "links.csv"), "the true links are needed to compare with")
	if err != nil {
		return c, err
	}
	defer links.Close()
	documents, err := openFolder(filepath.Join(dir, "documents."+condition+".jsonl"),
		"this corpus lacks the condition "+condition)
	if err != nil {
		return c, err
	}
	defer documents.Close()
	c = Corpus{Dir: dir, Condition: condition}
	if c.Documents, err = ReadDocuments(documents.Name(), documents); err != nil {
		return c, err
	}
	c.Links, err = ReadLinks(links.Name(), links, c.Documents)
	return c, err
}

func openFolder(name, missing string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist: %s", name, missing)
	}
	return f, err
}

// Choose keeps the first limit documents and shuffles them, with the seed shuffle. Use 0 to
// keep all, or to keep their order.
func (c *Corpus) Choose(limit int, shuffle uint64) {
	if limit > 0 {
		c.Documents = c.Documents[:min(limit, len(c.Documents))]
	}
	if shuffle != 0 {
		rand.New(rand.NewPCG(shuffle, 0)).Shuffle(len(c.Documents), func(i, j int) {
			c.Documents[i], c.Documents[j] = c.Documents[j], c.Documents[i]
		})
	}
}

// Links reads links.csv in the folder dir, which must be the documents' folder.
func (in *Input) Links(dir string) ([]Pair, error) {
	links, err := openFolder(filepath.Join(dir, "links.csv"), "an oracle needs the true links")
	if err != nil {
		return nil, err
	}
	defer links.Close()
	return ReadLinks(links.Name(), links, in.Documents)
}

// Input returns the documents as if read from a folder.
func (c *Corpus) Input() *Input {
	in := &Input{Documents: slices.Clone(c.Documents)}
	for i := range in.Documents {
		in.Documents[i].FilePath = "documents." + c.Condition + ".jsonl"
	}
	return in
}
