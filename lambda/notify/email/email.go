// Package email sends failures by mail, through Amazon SES (its API of version
// 2). It classifies every answer of SES in one table (failure.go).
//
// A mail has a text part and an HTML part with the same contents; the HTML part
// escapes every text, whatever its origin, and the subject is one line. No
// error, log or printed Config or Sender contains an address: SES names
// recipients in the texts of its errors, which are not passed on.
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
	maxRecipients  = 50 // of a mail, by SES
)

// API is the part of SES in use; *sesv2.Client implements it.
type API interface {
	SendEmail(context.Context, *sesv2.SendEmailInput, ...func(*sesv2.Options)) (*sesv2.SendEmailOutput, error)
}

// Config holds the sender and the recipients. Addresses may have names:
// Matchbook <matchbook@example.com>.
type Config struct {
	From string `json:"-"` // an identity that SES has verified
	To   string `json:"-"` // one or several, separated by commas; each sees the others
	// Timeout is for a mail; 0 is 5 s.
	Timeout time.Duration
}

// Format keeps the addresses out of every way to print a Config.
func (Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "email.Config") }

// Sender implements notify.Sender.
type Sender struct {
	api     API
	timeout time.Duration
	// A function, because no verb prints the values that one holds.
	address func(*sesv2.SendEmailInput)
}

// New checks the configuration, without a request; the error lists all its
// faults, and none of its values.
func New(api API, c Config) (*Sender, error) {
	var problems []error
	from, err := addresses(c.From)
	if err != nil {
		problems = append(problems, fmt.Errorf("the sender: %w", err))
	} else if len(from) != 1 {
		problems = append(problems, errors.New("the sender: not one address"))
	}
	to, err := addresses(c.To)
	if err != nil {
		problems = append(problems, fmt.Errorf("the recipients: %w", err))
	} else if len(to) > maxRecipients {
		problems = append(problems, fmt.Errorf("the recipients: more than %d", maxRecipients))
	}
	if c.Timeout < 0 {
		problems = append(problems, errors.New("the timeout is negative"))
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return &Sender{api: api, timeout: cmp.Or(c.Timeout, defaultTimeout), address: func(mail *sesv2.SendEmailInput) {
		mail.FromEmailAddress, mail.Destination = &from[0], &types.Destination{ToAddresses: to}
	}}, nil
}

// addresses reads at least one address. Its errors do not quote.
func addresses(list string) (all []string, err error) {
	parsed, err := mail.ParseAddressList(list)
	if err != nil || len(parsed) == 0 {
		return nil, errors.New("no list of addresses such as ops@example.com, Team <team@example.com>")
	}
	for _, a := range parsed {
		if strings.ContainsFunc(a.Address, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return nil, errors.New("an address that is not ASCII, which SES does not take (a domain has an ASCII form)")
		}
		all = append(all, a.String()) // with its name encoded
	}
	return all, nil
}

// Format keeps the addresses out of every way to print a Sender.
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

// post asks once: the caller sends the mail again later if it was not sent.
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
