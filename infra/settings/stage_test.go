package settings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestWithStage(t *testing.T) {
	t.Parallel()
	root := fstest.MapFS{
		"cdk.json":               {Data: []byte(`{"context": {"alarmEmail": "all@example.com", "model": "gpt-4.1"}}`)},
		"infra/stages/prod.json": {Data: []byte(`{"database": "aurora", "databaseConnections": 200, "subnetIds": ["a", "b"]}`)},
		"infra/stages/bad.json":  {Data: []byte(`{"stage": "prod", "model": "o3"}`)},
		"infra/stages/torn.json": {Data: []byte(`{"model": `)},
		"infra/stages/dev.json":  {Data: []byte(`{"slack": true}`)},
	}
	for name, tc := range map[string]struct {
		context map[string]any
		want    map[string]string
		errors  string // parts of the error, a line each; none: accepted
	}{
		"the file's":         {map[string]any{"stage": "prod"}, map[string]string{"database": "aurora", "databaseConnections": "200", "subnetIds": "a,b"}, ""},
		"-c wins":            {map[string]any{"stage": "prod", "database": "existing"}, map[string]string{"database": "existing"}, ""},
		"cdk.json's, beside": {map[string]any{"stage": "prod", "alarmEmail": "all@example.com"}, map[string]string{"alarmEmail": "all@example.com", "database": "aurora"}, ""},
		"the default stage":  {nil, map[string]string{"slack": "true"}, ""},
		"no file":            {map[string]any{"stage": "test"}, map[string]string{"database": "<nil>"}, ""},
		"twice": {map[string]any{"stage": "bad", "model": "gpt-4.1"}, nil,
			"model: set in both cdk.json and infra/stages/bad.json; keep one\nstage: must not be in infra/stages/bad.json"},
		"torn": {map[string]any{"stage": "torn"}, nil, "infra/stages/torn.json: expected a JSON object of settings"},
	} {
		got, err := WithStage(root, tc.context)
		if (err == nil) != (tc.errors == "") || err != nil && !strings.Contains(err.Error(), tc.errors) {
			t.Errorf("%s: got %v, want %q", name, err, tc.errors)
		}
		for key, want := range tc.want {
			if plainText(got[key]) != want {
				t.Errorf("%s: %s is %v, want %s", name, key, got[key], want)
			}
		}
	}
}

// An unknown setting of a stage's file is refused as any other.
func TestStageUnknownSetting(t *testing.T) {
	t.Parallel()
	given, err := WithStage(fstest.MapFS{"infra/stages/dev.json": {Data: []byte(`{"databse": "aurora"}`)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Read(given); err == nil || !strings.Contains(err.Error(), "databse: unknown setting") {
		t.Errorf("got %v", err)
	}
}

// The files of stages in the repository are valid.
func TestStagesValid(t *testing.T) {
	t.Parallel()
	files, _ := filepath.Glob("../stages/*.json")
	if len(files) == 0 {
		t.Fatal("there is no sample")
	}
	for _, file := range files {
		stage := strings.TrimSuffix(filepath.Base(file), ".json")
		given, err := WithStage(os.DirFS("../.."), map[string]any{"stage": stage})
		if err != nil {
			t.Fatal(err)
		}
		c, err := Read(given)
		if err != nil {
			t.Errorf("%s: %v", file, err)
		} else if err := ManifestFacts().Validate(c); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
