package openai

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/sashabaranov/go-openai"
)

// key is the current API key. The library never gets it. It is a pointer, and
// holds the key in a function: fmt follows pointers, and would print the key
// for a verb that does not fit, such as %s.
type key struct {
	header, prefix string
	renew          func(context.Context, string) (string, bool) // nil: it never changes

	mu  sync.Mutex
	now func() string
}

func newKey(c Config) *key {
	k := &key{header: "Authorization", prefix: "Bearer ", renew: c.Renew, now: func() string { return c.APIKey }}
	if c.AzureAPIVersion != "" {
		k.header, k.prefix = openai.AzureAPIKeyHeader, ""
	}
	return k
}

// put puts the key into a request and returns it.
func (k *key) put(h http.Header) (used string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if used = k.now(); used != "" {
		h.Set(k.header, k.prefix+used)
	}
	return used
}

// renewed reports whether there is another key than the one refused. A key that
// another request renewed meanwhile counts.
func (k *key) renewed(ctx context.Context, refused string) bool {
	k.mu.Lock()
	other := k.now() != refused
	k.mu.Unlock()
	if other || k.renew == nil {
		return other
	}
	fresh, changed := k.renew(ctx, refused)
	if fresh = strings.TrimSpace(fresh); !changed || fresh == refused || fresh == "" || !sendable(fresh) {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.now = func() string { return fresh }
	return true
}

// sendable reports whether a header can carry the key.
func sendable(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
}
