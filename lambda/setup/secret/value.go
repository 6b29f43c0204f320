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

// server has the parts of a database's address for a secret without them: RDS leaves out all but
// user and password in secrets that it manages itself (rds!cluster-...).
type server struct{ host, port, database, sslmode string }

// valueOf returns the variable's value in a secret's text. The text must be the value itself,
// a JSON object with a member of the variable's name, as made by the AWS console, or, for the
// database, the object kept by RDS for a login, used with the server's parts. Errors never quote
// the text.
func valueOf(name, text string, s server) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", errors.New("value must not be empty")
	}
	if text[0] != '{' {
		return text, nil
	}
	var fields map[string]any
	if json.Unmarshal([]byte(text), &fields) != nil {
		return "", errors.New("invalid JSON object")
	}
	isDatabase := strings.HasSuffix(name, variable.DatabaseURL)
	value, _ := fields[name].(string)
	if value == "" && isDatabase { // the functions' secret, by the migrations' name for it
		value, _ = fields[variable.DatabaseURL].(string)
	}
	switch value = strings.TrimSpace(value); {
	case value != "":
		return value, nil
	case isDatabase:
		return databaseURL(name, fields, s)
	}
	return "", fmt.Errorf("missing text member %q", name)
}

// databaseURL makes a URL of the object kept by RDS. You can add a member "parameters" for its
// query: sslmode=verify-full&pool_max_conns=3. See
// https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_secret_json_structure.html
func databaseURL(name string, fields map[string]any, s server) (string, error) {
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
		if text(name, map[string]string{"host": s.host}[name]) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		hint := ""
		if missing[0] == "host" {
			hint = "; a secret managed by RDS has no host: set " + variable.DatabaseHost
		}
		return "", fmt.Errorf("missing member %q, or instead %s%s", name, strings.Join(missing, ", "), hint)
	}
	if !slices.Contains([]string{"postgres", "postgresql", "aurora-postgresql"}, text("engine", "postgres")) {
		return "", errors.New("expected a PostgreSQL database")
	}
	query, err := url.ParseQuery(text("parameters", ""))
	if err != nil {
		return "", errors.New(`invalid "parameters": expected a query like sslmode=verify-full&pool_max_conns=3`)
	}
	if !query.Has("sslmode") {
		query.Set("sslmode", s.sslmode)
	}
	u := url.URL{Scheme: "postgres", User: url.UserPassword(text("username", ""), text("password", "")),
		Host: net.JoinHostPort(text("host", s.host), text("port", s.port)), Path: "/" + text("dbname", s.database),
		RawQuery: strings.ReplaceAll(query.Encode(), "+", "%20")}
	return u.String(), nil
}
