// Package errtext words errors for the user of a command line: it keeps the cause, in our
// words with its SQLSTATE, and removes secrets. Functions must use package failure instead,
// because their errors are stored, logged and sent, so they leave the cause out.
package errtext

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/failure"
	"matchbook/lambda/job"
	"matchbook/lambda/manifest"
)

// advice has our sentence for each SQLSTATE of a misconfigured or busy database.
var advice = map[string]string{
	"28000": "the database rejected the user: check DATABASE_URL",
	"28P01": "the database rejected the password: check DATABASE_URL",
	"3D000": "unknown database: check the name in DATABASE_URL",
	"25006": "the database is read-only, such as a replica: use the primary server in DATABASE_URL",
	"40P01": "another program waited for the same rows: try again",
	"42501": "missing permission in the database: check the user in DATABASE_URL",
	"53300": "too many connections to the database: try again later",
	"53100": "the database's disk is full: free some space, and try again",
	"55P03": "another program holds a lock on the table or row: try again when it has finished",
	"57014": "the database stopped a statement that took or waited too long: try again when it is less busy",
	"57P01": "the database was stopped or restarted: try again later",
	"57P03": "the database is starting or stopping: try again later",
}

// Describe returns the error with its cause, in one line. It may contain secrets, so you must
// use WithoutSecrets before printing it.
func Describe(err error) string {
	var partly *job.PublishError
	var decided *failure.Error
	var state interface {
		error
		SQLState() string
	}
	var dial *net.OpError
	var dns *net.DNSError
	switch {
	case errors.As(err, &partly) && partly.Err != nil:
		ours := *partly
		ours.Err = nil
		return strings.TrimPrefix(ours.Error()+"; "+Describe(partly.Err), "; ")
	case errors.As(err, &partly):
		return partly.Error()
	case errors.As(err, &decided):
		return failure.Of(err).Text
	case errors.As(err, &state):
		if text := advice[state.SQLState()]; text != "" {
			return text + " (SQLSTATE " + state.SQLState() + ")"
		}
		_, message, found := strings.Cut(state.Error(), ": ") // after the severity
		if !found {
			message = state.Error()
		}
		return term.Clean("database error: "+message, failure.MaxText)
	case errors.As(err, &dns):
		return term.Clean("unknown host "+dns.Name+": check the address", failure.MaxText)
	case errors.As(err, &dial) && dial.Op == "dial":
		return unreachable(dial)
	}
	return term.Clean(err.Error(), failure.MaxText)
}

// unreachable describes a failed connection attempt.
func unreachable(dial *net.OpError) string {
	cause := dial.Err
	for errors.Unwrap(cause) != nil {
		cause = errors.Unwrap(cause)
	}
	return term.Clean(fmt.Sprintf("cannot connect to %v: %v; check the address and that the server is running", dial.Addr, cause),
		failure.MaxText)
}

var (
	passwordInURL   = regexp.MustCompile(`(://[^\s/?#:@]*:)[^\s/?#]*@`)
	passwordSetting = regexp.MustCompile(`(?i)(\b(?:ssl)?password=)('[^']*'|[^\s&]+)`)
)

// WithoutSecrets removes the secrets of the environment from a text, and everything that
// looks like a password in an address. Call it last, right before printing.
func WithoutSecrets(text string, env func(string) string) string {
	secrets := secretsOf(env)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if len(secret) >= 4 { // otherwise it would match in ordinary words
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
