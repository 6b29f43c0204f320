package matcheval

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"matchbook/lambda/document/corpus"
)

// conditions are the conditions that a corpus comes in.
var conditions = []string{"visible", "corrupted", "masked"}

// read reads the corpora in some folders, each under the chosen conditions.
func (o Options) read(dirs []string) (corpora []corpus.Corpus, err error) {
	wanted, err := conditionsOf(o.Conditions)
	switch {
	case err != nil:
		return nil, err
	case o.Limit < 0:
		return nil, errors.New("--limit is less than 0")
	case o.Worst < 0:
		return nil, errors.New("--worst is less than 0")
	}
	for _, dir := range dirs {
		for _, condition := range wanted {
			c, err := corpus.Read(filepath.Clean(dir), condition)
			if err != nil {
				return nil, err
			}
			c.Choose(o.Limit, o.Shuffle)
			corpora = append(corpora, c)
		}
	}
	return corpora, nil
}

func conditionsOf(names []string) (wanted []string, err error) {
	for _, name := range names {
		add := []string{name}
		switch {
		case name == "all":
			add = conditions
		case !slices.Contains(conditions, name):
			return nil, fmt.Errorf("--condition: %q is none of %s, all", name, strings.Join(conditions, ", "))
		}
		for _, c := range add {
			if !slices.Contains(wanted, c) {
				wanted = append(wanted, c)
			}
		}
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("--condition: name one of %s, all", strings.Join(conditions, ", "))
	}
	return wanted, nil
}
