package trace

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"matchbook/lambda/manifest/variable"
)

// Config says where spans go. The zero value turns tracing off.
type Config struct {
	URL    string      // of the collector's traces
	Header http.Header `json:"-"`
	Share  float64     // of the traces begun here that are recorded
}

// Load reads OpenTelemetry's variables. It never quotes a value.
func Load(env func(string) string) (c Config, err error) {
	endpoint := env(variable.OTLPEndpoint)
	if endpoint == "" {
		return Config{}, nil
	}
	var errs []error
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return Config{}, fmt.Errorf("%s: expected a URL like http://localhost:4318", variable.OTLPEndpoint)
	}
	c = Config{URL: strings.TrimRight(endpoint, "/") + "/v1/traces", Share: 1}
	if c.Header, err = headers(env(variable.OTLPHeaders)); err != nil {
		errs = append(errs, err)
	}
	if len(c.Header) > 0 && u.Scheme != "https" && !isLoopback(u.Hostname()) {
		errs = append(errs, fmt.Errorf("%s: must be https, because %s may have a key", variable.OTLPEndpoint, variable.OTLPHeaders))
	}
	if text := env(variable.OTLPShare); text != "" {
		c.Share, err = strconv.ParseFloat(text, 64)
		if err != nil || c.Share < 0 || c.Share > 1 {
			errs = append(errs, fmt.Errorf("%s: expected a share from 0 to 1", variable.OTLPShare))
		}
	}
	return c, errors.Join(errs...)
}

// headers reads a list such as key=value,other=value. Values may be percent-encoded.
func headers(list string) (http.Header, error) {
	h := http.Header{}
	if list == "" {
		return h, nil
	}
	for part := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(part, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		name = strings.TrimSpace(name)
		if !ok || err != nil || name == "" || strings.ContainsAny(name, " \t\r\n:") || strings.ContainsAny(value, "\r\n") {
			return nil, fmt.Errorf("%s: expected a list like key=value,other=value", variable.OTLPHeaders)
		}
		h.Set(name, value)
	}
	return h, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
