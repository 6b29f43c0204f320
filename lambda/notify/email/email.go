// Package email sends failures by mail, through Amazon SES (API version 2). One table
// classifies every answer of SES (see failure.go).
//
// A mail has a text part and an HTML part with the same contents. The HTML part escapes every
// text, and the subject is one line. No error, log or printed Config or Sender contains an
// address, so SES's error texts aren't passed on: they quote recipients.
package email

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/mail"
	"strings"
	"time"

	"matchbook/lambda/failure"
	"matchbook/lambda/failure/awscall"
	"matchbook/lambda/notify"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

const (
	defaultTimeout = 5 * time.Second
	maxRecipients  = 50 // per mail, by SES
)

// API is the part of SES in use; see *sesv2.Client.
type API interface {
	SendEmail(context.Context, *sesv2.SendEmailInput, ...func(*sesv2.Options)) (*sesv2.SendEmailOutput, error)
}

// Config holds the sender and the recipients. You can use addresses with names: Matchbook
// <matchbook@example.com>.
type Config struct {
	From string `json:"-"` // must be an identity verified by SES
	To   string `json:"-"` // separated by commas; recipients see each other
	// Timeout limits a mail; 0 is 5 s.
	Timeout time.Duration
}

// Format hides the addresses, however you print a Config.
func (Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "email.Config") }

// Sender implements notify.Sender. It is safe for concurrent use.
type Sender struct {
	api     API
	timeout time.Duration
	// A function, because no verb prints its variables.
	address func(*sesv2.SendEmailInput)
}

// New checks the configuration, without a request. The error lists all problems at once, and
// never quotes a value.
func New(api API, c Config) (*Sender, error) {
	var problems []error
	from, err := addresses(c.From)
	if err != nil {
		problems = append(problems, fmt.Errorf("sender: %w", err))
	} else if len(from) != 1 {
		problems = append(problems, errors.New("sender: expected one address"))
	}
	to, err := addresses(c.To)
	if err != nil {
		problems = append(problems, fmt.Errorf("recipients: %w", err))
	} else if len(to) > maxRecipients {
		problems = append(problems, fmt.Errorf("recipients: expected at most %d", maxRecipients))
	}
	if c.Timeout < 0 {
		problems = append(problems, errors.New("timeout must not be negative"))
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return &Sender{api: api, timeout: cmp.Or(c.Timeout, defaultTimeout), address: func(mail *sesv2.SendEmailInput) {
		mail.FromEmailAddress, mail.Destination = &from[0], &types.Destination{ToAddresses: to}
	}}, nil
}

// addresses parses one or more addresses. Its errors must not quote them.
func addresses(list string) (all []string, err error) {
	parsed, err := mail.ParseAddressList(list)
	if err != nil || len(parsed) == 0 {
		return nil, errors.New("expected addresses like ops@example.com, Team <team@example.com>")
	}
	for _, a := range parsed {
		if strings.ContainsFunc(a.Address, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, errors.New("unsupported by SES: an address must be ASCII (use a domain's ASCII form)")
		}
		all = append(all, a.String()) // with an encoded name
	}
	return all, nil
}

// Format hides the addresses, however you print a Sender.
func (*Sender) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "email.Sender") }

// Channel implements notify.Sender.
func (*Sender) Channel() string { return "email" }

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Message) error {
	if failed := s.post(ctx, s.input(m)); failed != nil {
		return table.Classify(failed)
	}
	return nil
}

func (s *Sender) post(ctx context.Context, mail *sesv2.SendEmailInput) *failure.Call {
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	out, err := s.api.SendEmail(within, mail, func(o *sesv2.Options) { o.RetryMaxAttempts = 1 })
	switch {
	case err != nil:
		return awscall.Read(sesv2.ServiceID, err, ctx.Err(), notify.MaxWait)
	case out.MessageId == nil || *out.MessageId == "":
		return &failure.Call{Cause: errUnconfirmed}
	}
	return nil
}

func (s *Sender) input(m notify.Message) *sesv2.SendEmailInput {
	mail := &sesv2.SendEmailInput{Content: &types.EmailContent{Simple: &types.Message{
		Subject: content(subject(m)),
		Body:    &types.Body{Text: content(notify.Text(m)), Html: content(html(m))},
	}}}
	s.address(mail)
	return mail
}

func content(text string) *types.Content { return &types.Content{Data: &text, Charset: new("UTF-8")} }
