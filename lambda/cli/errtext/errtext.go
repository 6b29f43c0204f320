// Package errtext words errors for the person at a command line: with their
// cause in the words of the driver, and without secrets. A function leaves out
// the cause, since its errors are stored, logged and sent; see package failure.
package errtext

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
)

// Describe is an error with its cause, in one line.
func Describe(err error) string {
	var partly *job.PublishError
	var decided *failure.Error
	switch {
	case errors.As(err, &partly) && partly.Err != nil:
		ours := *partly
		ours.Err = nil
		return strings.TrimPrefix(ours.Error()+"; "+Describe(partly.Err), "; ")
	case errors.As(err, &partly):
		return partly.Error()
	case errors.As(err, &decided):
		return failure.Of(err).Text
	}
	return term.Clean(err.Error(), failure.MaxText)
}

var (
	passwordInURL   = regexp.MustCompile(`(://[^\s/?#:@]*:)[^\s/?#]*@`)
	passwordSetting = regexp.MustCompile(`(?i)(\b(?:ssl)?password=)('[^']*'|[^\s&]+)`)
)

// WithoutSecrets removes from a text the secrets of the environment, and
// every password that looks like a part of an address. Call it last, before
// the text is printed.
func WithoutSecrets(text string, env func(string) string) string {
	secrets := secretsOf(env)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if len(secret) >= 4 { // a shorter one would be found in every word
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	text = passwordInURL.ReplaceAllString(text, "${1}***@")
	return passwordSetting.ReplaceAllString(text, "${1}***")
}

func secretsOf(env func(string) string) (secrets []string) {
	for _, name := range manifest.Secrets {
		value := env(name)
		secrets = append(secrets, value)
		u, err := url.Parse(value)
		if err != nil {
			continue
		}
		if password, ok := u.User.Password(); ok {
			secrets = append(secrets, password, url.QueryEscape(password), url.PathEscape(password))
		}
	}
	return secrets
}
