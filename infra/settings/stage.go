package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
)

// Stages is the folder with a file of settings for each stage; see WithStage.
const Stages = "infra/stages"

// WithStage adds the settings of the stage's file, if there is one, to the ones from the context.
// -c key=value wins over the file. cdk.json must not have a setting of the file, because the CDK
// merges it with -c, so that nobody could tell which of the two the user means. The error has a
// line for each such setting; the result is complete even so, for Read to check.
func WithStage(root fs.FS, context map[string]any) (map[string]any, error) {
	stage, ok := context["stage"]
	if !ok {
		stage = "dev"
	}
	file := path.Join(Stages, path.Base(plainText(stage))+".json")
	var own map[string]any
	if err := readJSON(root, file, &own); err != nil {
		return context, err
	}
	var project struct{ Context map[string]any }
	errs := []error{readJSON(root, "cdk.json", &project)}
	for _, key := range slices.Sorted(maps.Keys(own)) {
		if _, twice := project.Context[key]; twice {
			errs = append(errs, fmt.Errorf("%s: set in both cdk.json and %s; keep one", key, file))
		}
	}
	if _, ok := own["stage"]; ok {
		errs = append(errs, fmt.Errorf("stage: must not be in %s, since the file's name is the stage", file))
	}
	all := maps.Clone(own)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, context)
	return all, errors.Join(errs...)
}

// readJSON leaves v alone if there is no such file.
func readJSON(root fs.FS, file string, v any) error {
	data, err := fs.ReadFile(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil { // its text has no values
		return fmt.Errorf("%s: expected a JSON object of settings: %w", file, err)
	}
	return nil
}
