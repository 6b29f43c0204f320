// Package email tells failures by mail, through Amazon SES (its API of version
// 2). It says what every answer of SES means, in one table (failure.go).
//
// A mail has a text part and an HTML part that say the same; what they say is
// text wherever it came from, escaped by html/template, and the subject is one
// line. Nothing of an address is in an error, a log or what prints a Config or
// a Sender: SES names recipients in the texts of its errors, which are not
// told.
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

	"matchbook/lambda/notify"

	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

const (
	defaultTimeout = 5 * time.Second
	maxRecipients  = 50 // of a mail, by SES
)

// API is what is asked of SES; *sesv2.Client is one.
type API interface {
	SendEmail(context.Context, *sesv2.SendEmailInput, ...func(*sesv2.Options)) (*sesv2.SendEmailOutput, error)
}

// Config says who writes to whom. Addresses may have names:
// Matchbook <matchbook@example.com>.
type Config struct {
	From string `json:"-"` // an identity that SES has verified
	To   string `json:"-"` // one or several, separated by commas; each sees the others
	// Timeout is for a mail; 0 is 5 s.
	Timeout time.Duration
}

// Format keeps the addresses out of whatever prints a Config.
func (Config) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "email.Config") }

// Sender implements notify.Sender.
type Sender struct {
	api     API
	timeout time.Duration
	// A function, for there is no verb that prints what one holds.
	address func(*sesv2.SendEmailInput)
}

// New checks the configuration, without a request; the error has all that is
// wrong with it, and no value of it.
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

// Format keeps the addresses out of whatever prints a Sender.
func (*Sender) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "email.Sender") }

// Channel implements notify.Sender.
func (*Sender) Channel() string { return "email" }

// Send implements notify.Sender.
func (s *Sender) Send(ctx context.Context, m notify.Message) error {
	if mishap := s.post(ctx, s.input(m)); mishap != nil {
		return classify(table, mishap)
	}
	return nil
}

// post asks once: what was not sent is sent later, by whoever asked for it.
func (s *Sender) post(ctx context.Context, mail *sesv2.SendEmailInput) *mishap {
	within, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	out, err := s.api.SendEmail(within, mail, func(o *sesv2.Options) { o.RetryMaxAttempts = 1 })
	switch {
	case err != nil:
		return met(err, ctx.Err())
	case out.MessageId == nil || *out.MessageId == "":
		return &mishap{unconfirmed: true}
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
