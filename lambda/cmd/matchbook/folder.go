package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"matchbook/lambda/corpus"
)

// Corpus is a folder of documents under one condition, with its true links.
type Corpus struct {
	dir, condition string
	documents      []corpus.Document
	links          []corpus.Pair // of the whole corpus, also where the documents are limited
}

func readCorpus(dir, condition string) (c Corpus, err error) {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return c, fmt.Errorf("%s does not exist", dir)
	case err != nil:
		return c, err
	case !info.IsDir():
		return c, fmt.Errorf("%s is no folder: name the one that holds links.csv and documents.%s.jsonl", dir, condition)
	}
	links, err := openCorpus(filepath.Join(dir, "links.csv"), "without the true links there is nothing to compare with")
	if err != nil {
		return c, err
	}
	defer links.Close()
	documents, err := openCorpus(filepath.Join(dir, "documents."+condition+".jsonl"), "this corpus does not come in the condition "+condition)
	if err != nil {
		return c, err
	}
	defer documents.Close()
	c = Corpus{dir: dir, condition: condition}
	if c.documents, err = corpus.ReadDocuments(documents.Name(), documents); err != nil {
		return c, err
	}
	c.links, err = corpus.ReadLinks(links.Name(), links, c.documents)
	return c, err
}

func openCorpus(name, missing string) (*os.File, error) {
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist: %s", name, missing)
	}
	return f, err
}

// choose takes the part and the order of the documents that are wanted: the first limit
// documents, in an order by the seed shuffle. 0 takes all, and keeps the order.
func (c *Corpus) choose(limit int, shuffle uint64) {
	if limit > 0 {
		c.documents = c.documents[:min(limit, len(c.documents))]
	}
	if shuffle != 0 {
		rand.New(rand.NewPCG(shuffle, 0)).Shuffle(len(c.documents), func(i, j int) {
			c.documents[i], c.documents[j] = c.documents[j], c.documents[i]
		})
	}
}

// links reads the links.csv beside the documents.
func (in *input) links(dir string) ([]corpus.Pair, error) {
	links, err := openCorpus(filepath.Join(dir, "links.csv"), "an oracle answers from the true links")
	if err != nil {
		return nil, err
	}
	defer links.Close()
	return corpus.ReadLinks(links.Name(), links, in.Documents)
}

func (c *Corpus) input() *input {
	in := &input{Documents: slices.Clone(c.documents)}
	for i := range in.Documents {
		in.Documents[i].FilePath = "documents." + c.condition + ".jsonl"
	}
	return in
}
