package serve

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"matchbook/lambda/blob"
	"matchbook/lambda/manifest"
	"matchbook/lambda/manifest/variable"
	"matchbook/lambda/setup"
)

// Files of the data folder.
const (
	filesFolder = "files"        // the blob store
	tokenFile   = "review-token" // the key that signs the tokens of reviews
	linkFile    = "console-link" // the link that logs a browser in
)

// environment returns the settings of the functions: the process's own, defaults for one
// machine, and the queues.
func (s *Server) environment(queues map[string]string) (setup.Env, error) {
	files, err := filepath.Abs(filepath.Join(s.config.Data, filesFolder))
	if err != nil {
		return nil, err
	}
	own := map[string]string{variable.DatabaseURL: s.config.DatabaseURL}
	for name, url := range queues {
		own[name] = url
	}
	defaults := map[string]string{variable.BlobURL: blob.FolderURL(files)}
	given := func(name string) bool {
		return s.config.Env(name) != "" || s.config.Env(name+variable.SecretSuffix) != ""
	}
	if !given(variable.OpenAIKey) && !given(variable.OpenAIBaseURL) {
		defaults[variable.MatchMode] = "rules"
	}
	if _, err := exec.LookPath("tesseract"); err == nil {
		defaults[variable.OCR] = "tesseract"
	} else {
		defaults[variable.OCR] = setup.NoOCR
	}
	if defaults[variable.ReviewTokenSecret], err = s.tokenSecret(); err != nil {
		return nil, err
	}
	return func(name string) string {
		if value, ok := own[name]; ok {
			return value
		}
		if strings.HasSuffix(name, variable.QueueURL) {
			return "" // of another system
		}
		if given(name) {
			return s.config.Env(name)
		}
		return defaults[name]
	}, nil
}

// of returns the environment of one function.
func (s *Server) of(f manifest.Function) setup.Env {
	return func(name string) string {
		switch {
		case name == variable.QueueURL:
			return s.env(f.QueueEnv())
		case name == (manifest.Function{Name: f.MayPublishTo}).QueueEnv() && !s.config.Review:
			return ""
		}
		return s.env(name)
	}
}

// tokenSecret reads the key of the reviews' tokens, and makes one on the first start, so that
// tokens outlive the process.
func (s *Server) tokenSecret() (string, error) {
	path := filepath.Join(s.config.Data, tokenFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		text = []byte(rand.Text() + rand.Text())
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("key of reviews: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

// Settings describes what the process does with work, a line each, for the person who started it.
func (s *Server) Settings() []string {
	model := "rules only; set " + variable.OpenAIKey + " to ask a model"
	if s.env(variable.MatchMode) != "rules" {
		model = cmp.Or(s.env(variable.OpenAIModel), manifest.DefaultModel)
	}
	lines := []string{"model     " + model,
		"files     " + s.env(variable.BlobURL) + ", OCR: " + s.env(variable.OCR)}
	for _, w := range s.config.Watch {
		lines = append(lines, fmt.Sprintf("watching  %s for tenant %s", w.Dir, w.Tenant))
	}
	if s.config.Env(variable.OIDCIssuer) == "" {
		lines = append(lines, "log in    with the link in "+s.LinkFile())
	}
	return lines
}
