// Package secret reads a function's secrets from Secrets Manager, and reads one again after
// the other side refused its value. Its errors never contain a value.
package secret

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/manifest/variable"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"
)

const (
	// fetchEvery is the minimum time between two reads of a secret, however often its value is
	// refused. Note that the SDK retries a read twice after a transient error.
	fetchEvery = 5 * time.Minute
	// fetchFor limits the time for reading all secrets together, because a function must start
	// within 10 s.
	fetchFor = 8 * time.Second
)

// secret is a value of Secrets Manager as last read. It is safe for concurrent use.
type secret struct {
	name   string // of its variable
	id     string // ARN of the secret
	server server // of a database
	fetch  func(ctx context.Context, id string) (string, error)
	now    func() time.Time

	mu      sync.Mutex
	value   string
	fetched time.Time     // of the last read, successful or not
	reading chan struct{} // closed at the end of the current read; nil without one
}

// read reads the secret, even if it has a value already.
func (s *secret) read(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	s.mu.Lock()
	s.fetched = s.now()
	s.mu.Unlock()
	text, err := s.fetch(ctx, s.id)
	if err != nil {
		return fmt.Errorf("%s%s: secret %s %s", s.name, variable.SecretSuffix, nameOf(s.id), unreadable(err))
	}
	value, err := valueOf(s.name, text, s.server)
	if err != nil {
		return fmt.Errorf("%s%s: secret %s: %w", s.name, variable.SecretSuffix, nameOf(s.id), err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = value
	return nil
}

// renew returns the value to use after the other side refused one, and whether it differs.
// Many callers may use it at once: the secret is read once for all of them, and at most every
// five minutes. It is read even if there's another value already, because that may be refused
// too. Calls end with their context.
func (s *secret) renew(ctx context.Context, refused string) (value string, changed bool) {
	s.mu.Lock()
	if s.reading == nil && s.now().Sub(s.fetched) >= fetchEvery {
		s.fetched, s.reading = s.now(), make(chan struct{})
		go s.reread(context.WithoutCancel(ctx))
	}
	reading := s.reading
	s.mu.Unlock()
	if reading != nil {
		select {
		case <-reading:
		case <-ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value, s.value != refused
}

func (s *secret) reread(ctx context.Context) {
	if err := s.read(ctx); err != nil {
		slog.Error("secret refused; reading its new value failed", "reason", err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.reading)
	s.reading = nil
}

// Values holds a function's secrets by variable.
type Values map[string]*secret

// Renewal returns the function to renew a value with; nil if the variable isn't a secret.
func (s Values) Renewal(name string) func(ctx context.Context, refused string) (string, bool) {
	if s[name] == nil {
		return nil
	}
	return s[name].renew
}

// Source reads secrets. Use Manager to make one.
type Source struct {
	fetch func(ctx context.Context, id string) (string, error)
	now   func() time.Time
}

// unread replaces an unreadable value, so that it isn't reported as missing too.
const unread = "unread"

// Resolve reads the secrets of those named variables that aren't set, concurrently, and
// returns an environment with their values.
func (src Source) Resolve(env func(name string) string, names ...string) (func(name string) string, Values, []error) {
	found, at := Values{}, server{env(variable.DatabaseHost), cmp.Or(env(variable.DatabasePort), "5432"),
		cmp.Or(env(variable.DatabaseName), "postgres"), "require"} // the system's roots don't have the ones of RDS
	if env(variable.RootCertificates) != "" {
		at.sslmode = "verify-full"
	}
	for _, name := range names {
		if id := env(name + variable.SecretSuffix); id != "" && env(name) == "" {
			found[name] = &secret{name: name, id: id, server: at, fetch: src.fetch, now: src.now, value: unread}
		}
	}
	errs := make([]error, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		if s := found[name]; s != nil {
			all.Go(func() { errs[i] = s.read(context.Background()) })
		}
	}
	all.Wait()
	values := map[string]string{}
	for name, s := range found {
		values[name] = s.value
	}
	return func(name string) string { return cmp.Or(values[name], env(name)) }, found,
		slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// Manager returns a Source for Secrets Manager, with the clock now. It calls load at the first
// read.
func Manager(load func(context.Context) (aws.Config, error), now func() time.Time) Source {
	client := sync.OnceValues(func() (*secretsmanager.Client, error) {
		c, err := load(context.Background())
		if err != nil {
			return nil, err
		}
		return secretsmanager.NewFromConfig(c), nil
	})
	return Source{now: now, fetch: func(ctx context.Context, id string) (string, error) {
		c, err := client()
		if err != nil {
			return "", err
		}
		out, err := c.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &id})
		if err != nil {
			return "", err
		}
		return aws.ToString(out.SecretString), nil
	}}
}

// nameOf returns an ARN without region and account.
func nameOf(id string) string {
	if _, name, ok := strings.Cut(id, ":secret:"); ok {
		return name
	}
	return id
}

// advice holds a step for each error code of Secrets Manager.
var advice = map[string]string{
	"AccessDeniedException": "may not be read: allow secretsmanager:GetSecretValue on it, " +
		"and kms:Decrypt on a key of yours, if a secret of that name exists",
	"ResourceNotFoundException": "does not exist, or has no value yet",
	"InvalidRequestException":   "is marked for deletion",
	"DecryptionFailure":         "cannot be decrypted: allow kms:Decrypt on its key",
}

// unreadable describes an error, but not by its text, because that may quote anything.
func unreadable(err error) string {
	var refused smithy.APIError
	if !errors.As(err, &refused) {
		return "cannot be read: is there a way to Secrets Manager from here? (" + failure.Of(err).Text + ")"
	}
	if text, ok := advice[refused.ErrorCode()]; ok {
		return text + " (" + refused.ErrorCode() + ")"
	}
	return "cannot be read: " + failure.Of(err).Text
}
