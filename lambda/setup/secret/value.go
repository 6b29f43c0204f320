package secret

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"matchbook/lambda/manifest/variable"
)

// valueOf reads a secret's text as the value of a variable. The text is the value
// itself; or a JSON object, as the console makes one, with a member of the
// variable's name; or, for the database, the object that RDS keeps for a login.
// No error contains any part of the text.
func valueOf(name, text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("holds no text")
	}
	if text[0] != '{' {
		return text, nil
	}
	var fields map[string]any
	if json.Unmarshal([]byte(text), &fields) != nil {
		return "", errors.New("begins like a JSON object but is not one")
	}
	if value, ok := fields[name].(string); ok && strings.TrimSpace(value) != "" {
		return strings.TrimSpace(value), nil
	}
	if name == variable.DatabaseURL {
		return databaseURL(fields)
	}
	return "", fmt.Errorf("is a JSON object without a text %q", name)
}

// databaseURL makes a URL of the object that RDS keeps. A member "parameters",
// an addition of ours, becomes its query: sslmode=verify-full&pool_max_conns=3.
// https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_secret_json_structure.html
func databaseURL(fields map[string]any) (string, error) {
	text := func(name, other string) string {
		switch v := fields[name].(type) {
		case string:
			return v
		case float64: // a port
			return fmt.Sprintf("%.0f", v)
		}
		return other
	}
	var missing []string
	for _, name := range []string{"host", "username", "password"} {
		if text(name, "") == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("is a JSON object without %q, and without %s",
			variable.DatabaseURL, strings.Join(missing, ", "))
	}
	if !slices.Contains([]string{"postgres", "postgresql", "aurora-postgresql"}, text("engine", "postgres")) {
		return "", errors.New("is of a database other than PostgreSQL")
	}
	query, err := url.ParseQuery(text("parameters", ""))
	if err != nil {
		return "", errors.New(`has "parameters" that are no query such as sslmode=verify-full&pool_max_conns=3`)
	}
	if !query.Has("sslmode") {
		query.Set("sslmode", "require")
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(text("username", ""), text("password", "")),
		Host: net.JoinHostPort(text("host", ""), text("port", "5432")), Path: "/" + text("dbname", "postgres"),
		RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20")}
	return u.String(), nil
}
