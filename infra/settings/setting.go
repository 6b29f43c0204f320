package settings

import (
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net/mail"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"matchbook/lambda/manifest"
)

// The functions below parse a setting into its field.

// optional accepts an empty setting, and parses any other.
func optional(read func(string) error) func(string) error {
	return func(s string) error {
		if s == "" {
			return nil
		}
		return read(s)
	}
}

func text(to *string) func(string) error {
	return func(s string) error { *to = s; return nil }
}

func pattern(to *string, expression, want string) func(string) error {
	whole := regexp.MustCompile("^(" + expression + ")$")
	return optional(func(s string) error {
		if *to = s; !whole.MatchString(s) {
			return errors.New("expected " + want)
		}
		return nil
	})
}

func oneOf(to *string, choices ...string) func(string) error {
	return func(s string) error {
		if *to = s; !slices.Contains(choices, s) {
			return errors.New("expected " + strings.Join(choices, " or "))
		}
		return nil
	}
}

// OCR engines for a deployed function.
const (
	Textract   = "textract"
	DocumentAI = "documentai"
)

func engine(to *string) func(string) error {
	return func(s string) error {
		if s == "tesseract" {
			return errors.New("unsupported tesseract, since the function's zip lacks the program; " +
				"use textract, documentai or none")
		}
		return oneOf(to, "none", Textract, DocumentAI)(s)
	}
}

func list(to *[]string, expression, want string) func(string) error {
	whole := regexp.MustCompile("^" + expression + "$")
	return optional(func(s string) error {
		for item := range strings.SplitSeq(s, ",") {
			if item = strings.TrimSpace(item); !whole.MatchString(item) {
				return errors.New("expected " + want)
			}
			*to = append(*to, item)
		}
		return nil
	})
}

func number(to *int) func(string) error {
	return func(s string) (err error) {
		if *to, err = strconv.Atoi(s); err != nil || *to < 1 {
			return errors.New("expected a whole number above 0")
		}
		return nil
	}
}

func count(to *int, most int) func(string) error {
	return func(s string) (err error) {
		if *to, err = strconv.Atoi(s); err != nil || *to < 0 || *to > most {
			return fmt.Errorf("expected a whole number from 0 to %d", most)
		}
		return nil
	}
}

// capacity is in ACUs, which Aurora has in halves.
func capacity(to *float64) func(string) error {
	return func(s string) (err error) {
		if *to, err = strconv.ParseFloat(s, 64); err != nil || !(*to >= 0 && *to <= MaxCapacity) || math.Trunc(*to*2) != *to*2 {
			return fmt.Errorf("expected ACUs from 0 to %d, in steps of 0.5", MaxCapacity)
		}
		return nil
	}
}

// days accepts no shorter time than messages about a file may wait in a dead-letter queue.
func days(to *int) func(string) error {
	least := int(manifest.DeadLetterRetention / (24 * time.Hour))
	return optional(func(s string) (err error) {
		if *to, err = strconv.Atoi(s); err != nil || *to < least {
			return fmt.Errorf("expected days, %d or more", least)
		}
		return nil
	})
}

func price(to *float64) func(string) error {
	return optional(func(s string) (err error) {
		if *to, err = strconv.ParseFloat(s, 64); err != nil || !(*to > 0 && *to < 1e6) {
			return errors.New("expected a price in USD per million tokens, such as 0.40")
		}
		return nil
	})
}

func yesOrNo(to *bool) func(string) error {
	return func(s string) error {
		if *to = s == "true"; !*to && s != "false" {
			return errors.New("expected true or false")
		}
		return nil
	}
}

func duration(to *string) func(string) error {
	return optional(func(s string) error {
		*to = s
		if d, err := time.ParseDuration(s); err != nil || d <= 0 {
			return errors.New("expected a duration such as 60s")
		}
		return nil
	})
}

func certificates(to *string) func(string) error {
	return optional(func(s string) error {
		*to = s
		if pem, err := os.ReadFile(s); err != nil || !x509.NewCertPool().AppendCertsFromPEM(pem) {
			return errors.New("expected a file of certificates in PEM form")
		}
		return nil
	})
}

func address(to *string) func(string) error {
	return optional(func(s string) error {
		*to = s
		if u, err := url.Parse(s); err != nil || u.Hostname() == "" || u.User != nil ||
			u.Scheme != "https" && u.Scheme != "http" {
			return errors.New("expected a URL such as https://matchbook.example.com")
		}
		return nil
	})
}

func addresses(to *string) func(string) error {
	return optional(func(s string) error {
		*to = s
		if _, err := mail.ParseAddressList(s); err != nil {
			return errors.New("expected an address such as matchbook@example.com")
		}
		return nil
	})
}
