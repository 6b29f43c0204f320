package matcheval

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"matchbook/lambda/document/corpus"
)

// conditions are the conditions of a corpus.
var conditions = []string{"visible", "corrupted", "masked"}

// read reads the corpora in dirs, each in the chosen conditions.
func (o Options) read(dirs []string) (corpora []corpus.Corpus, err error) {
	wanted, err := conditionsOf(o.Conditions)
	switch {
	case err != nil:
		return nil, err
	case o.Limit < 0:
		return nil, errors.New("--limit must not be negative")
	case o.Worst < 0:
		return nil, errors.New("--worst must not be negative")
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
			return nil, fmt.Errorf("--condition: invalid value %q: must be one of %s, all", name, strings.Join(conditions, ", "))
		}
		for _, c := range add {
			if !slices.Contains(wanted, c) {
				wanted = append(wanted, c)
			}
		}
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("missing --condition: must be one of %s, all", strings.Join(conditions, ", "))
	}
	return wanted, nil
}
