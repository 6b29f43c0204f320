package openai

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/sashabaranov/go-openai"
)

// key is the current API key, kept from the library. It must be a pointer with the key in a
// function, because fmt follows pointers, and would print the key for an unsuitable verb such
// as %s.
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

// put adds the key to a request's headers and returns it.
func (k *key) put(h http.Header) (used string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if used = k.now(); used != "" {
		h.Set(k.header, k.prefix+used)
	}
	return used
}

// renewed reports whether there is a key other than the refused one. A key renewed meanwhile
// by another request counts too.
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

func sendable(key string) bool {
	return !strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
}
