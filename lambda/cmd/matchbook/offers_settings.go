package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"matchbook/lambda/cli"
	"matchbook/lambda/local/offerrun"
	"matchbook/lambda/offer/day"
	"matchbook/lambda/offer/roster"
	"matchbook/lambda/postgres/offers"

	"github.com/google/uuid"
	"github.com/spf13/cobra"
)

func (w *invocation) offersFeedbackCommand() *cobra.Command {
	var o sessionOptions
	return o.add(ofTenant("feedback --tenant ID FILE", "Import answers to offers from a CSV file", 1,
		func(ctx context.Context, tenant uuid.UUID, args []string) error {
			file, err := os.Open(args[0])
			if err != nil {
				return err
			}
			defer file.Close()
			return w.inTenant(ctx, o, tenant, func(s *session) error {
				i, err := offerrun.ImportFeedback(s.ctx, s.db, tenant, file)
				return errors.Join(err, cli.Findings(err != nil || len(i.Refused) == 0, s.Print(i, o.json)))
			})
		}))
}

// choice is a flag of settings set.
type choice struct {
	name, purpose string
	set           func(s *roster.Settings, text string) error
	show          func(s roster.Settings) string
}

var choices = []choice{
	number("minimum-age", "offer nobody younger than `YEARS`, and nobody without an age; 0 is any age",
		func(s *roster.Settings) *int { return &s.MinimumAge }),
	number("exposure", "show a candidate at most `N` times on a date",
		func(s *roster.Settings) *int { return &s.Exposure }),
	number("set-size", "offer at most `N` candidates in a set", func(s *roster.Settings) *int { return &s.SetSize }),
	number("rest-days", "keep two users apart for `DAYS` after an answer", func(s *roster.Settings) *int { return &s.RestDays }),
	number("stale-days", "leave out users not seen for `DAYS`; 0 keeps them", func(s *roster.Settings) *int { return &s.StaleDays }),
	number("delivery-hour", "compose sets from this `HOUR` of the user's clock on",
		func(s *roster.Settings) *int { return &s.DeliveryHour }),
	{"skip-weekends", "`true` or false: no sets on Saturdays and Sundays",
		func(s *roster.Settings, text string) (err error) {
			if s.SkipWeekends = text == "true"; text != "true" && text != "false" {
				err = errors.New("expected true or false")
			}
			return err
		},
		func(s roster.Settings) string { return strconv.FormatBool(s.SkipWeekends) }},
	{"holidays", "comma-separated `DATES` without sets, instead of the ones before",
		func(s *roster.Settings, text string) error {
			s.Holidays = []day.Date{}
			for one := range strings.SplitSeq(text, ",") {
				if one = strings.TrimSpace(one); one == "" {
					continue
				}
				d, err := day.Parse(one)
				if err != nil {
					return err
				}
				s.Holidays = append(s.Holidays, d)
			}
			slices.Sort(s.Holidays)
			s.Holidays = slices.Compact(s.Holidays)
			return nil
		},
		func(s roster.Settings) string {
			var list []string
			for _, d := range s.Holidays {
				list = append(list, d.String())
			}
			return strings.Join(list, ", ")
		}},
}

func number(name, purpose string, of func(*roster.Settings) *int) choice {
	return choice{name, purpose, func(s *roster.Settings, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil {
			return errors.New("expected a whole number")
		}
		*of(s) = n
		return nil
	}, func(s roster.Settings) string { return strconv.Itoa(*of(&s)) }}
}

// choiceFlags adds the flags of the choices, except some. It returns a function that changes settings by the
// flags given, and checks them.
func choiceFlags(cmd *cobra.Command, except ...string) (change func(*roster.Settings) error) {
	texts := make([]string, len(choices))
	for i, c := range choices {
		if slices.Contains(except, c.name) {
			continue
		}
		cmd.Flags().StringVar(&texts[i], c.name, "", c.purpose)
	}
	return func(s *roster.Settings) error {
		for i, c := range choices {
			if !cmd.Flags().Changed(c.name) {
				continue
			}
			if err := c.set(s, texts[i]); err != nil {
				return fmt.Errorf("--%s: %w", c.name, err)
			}
		}
		return s.Check()
	}
}

func (w *invocation) offersSettingsCommand() *cobra.Command {
	var o sessionOptions
	show := o.add(ofTenant("show --tenant ID", "Print a tenant's settings for offers", 0,
		func(ctx context.Context, tenant uuid.UUID, _ []string) error {
			return w.inTenant(ctx, o, tenant, func(s *session) error {
				stored, err := offers.New(s.db).SettingsOf(s.ctx, tenant)
				return errors.Join(err, s.Print(offerSettings(stored), o.json))
			})
		}))
	var set *cobra.Command
	var change func(*roster.Settings) error
	set = o.add(ofTenant("set --tenant ID", "Change a tenant's settings for offers", 0,
		func(ctx context.Context, tenant uuid.UUID, _ []string) error {
			if set.Flags().NFlag() == 1 {
				return errors.New("missing change: pass a flag such as --set-size 5")
			}
			if err := change(new(roster.Usual())); err != nil {
				return err
			}
			return w.inTenant(ctx, o, tenant, func(s *session) error {
				stored, err := offers.New(s.db).SetSettings(s.ctx, tenant, change)
				if err != nil {
					return err
				}
				return s.Print(offerSettings(stored), o.json)
			})
		}))
	change = choiceFlags(set)
	return group("settings", "Show or set a tenant's settings for offers", show, set)
}

// offerSettings prints as a list.
type offerSettings roster.Settings

func (s offerSettings) Text() string {
	var text strings.Builder
	for _, c := range choices {
		fmt.Fprintln(&text, strings.TrimRight(fmt.Sprintf("%-14s %s", c.name, c.show(roster.Settings(s))), " "))
	}
	return text.String()
}
