package main

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
	"matchbook/lambda/term"
)

// describe is an error as the person at the command line needs it: with its
// cause in the words of the driver. A function keeps those to itself, since
// what it says is stored, logged and sent; see package failure.
func describe(err error) string {
	var partly *job.PublishError
	var decided *failure.Error
	switch {
	case errors.As(err, &partly) && partly.Err != nil:
		ours := *partly
		ours.Err = nil
		return strings.TrimPrefix(ours.Error()+"; "+describe(partly.Err), "; ")
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

// secretVariables may hold what must not be shown, or an address with it.
var secretVariables = []string{manifest.EnvDatabaseURL, manifest.EnvOpenAIKey, manifest.EnvSlackWebhookURL}

// withoutSecrets takes out of a text the secrets of the environment, and all
// passwords that look like ones of an address. It is the last thing that
// happens to an error before it is printed.
func (w *invocation) withoutSecrets(text string) string {
	var secrets []string
	for _, name := range secretVariables {
		value := w.env(name)
		secrets = append(secrets, value)
		u, err := url.Parse(value)
		if err != nil {
			continue
		}
		if password, ok := u.User.Password(); ok {
			secrets = append(secrets, password, url.QueryEscape(password), url.PathEscape(password))
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if len(secret) >= 4 { // a shorter one would be found in every word
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	text = passwordInURL.ReplaceAllString(text, "${1}***@")
	return passwordSetting.ReplaceAllString(text, "${1}***")
}
