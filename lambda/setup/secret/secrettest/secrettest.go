// Package secrettest is a Secrets Manager for tests. Use New to start one.
package secrettest

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// ARN returns the ARN of the named secret.
func ARN(name string) string {
	return "arn:aws:secretsmanager:eu-central-1:000000000000:secret:" + name + "-AbCdEf"
}

// URLVariable is the SDK's variable for the URL of Secrets Manager.
const URLVariable = "AWS_ENDPOINT_URL_SECRETS_MANAGER"

// Manager is a Secrets Manager served over HTTP, as seen by the SDK.
type Manager struct {
	mu      sync.Mutex
	values  map[string]string // by ARN
	refuses string            // the error code of every response
	fetches map[string]int
	URL     string
}

// New starts a Manager and sets the SDK's variables for the test, except URLVariable: you must
// set that in each test, so that the test isn't parallel.
func New(t *testing.T) *Manager {
	t.Helper()
	m := &Manager{values: map[string]string{}, fetches: map[string]int{}}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	m.URL = server.URL
	for name, value := range map[string]string{"AWS_REGION": "eu-central-1",
		"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_MAX_ATTEMPTS": "1"} {
		t.Setenv(name, value)
	}
	return m
}

// Set sets the value of the named secret.
func (m *Manager) Set(name, value string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.values[ARN(name)] = value
}

// Refuse fails every read with the error code.
func (m *Manager) Refuse(code string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuses = code
}

// Count returns the number of reads of the named secret.
func (m *Manager) Count(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.fetches[ARN(name)]
}

// ServeHTTP implements http.Handler.
func (m *Manager) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var in struct{ SecretId string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fetches[in.SecretId]++
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	value, known := m.values[in.SecretId]
	switch {
	case r.Header.Get("X-Amz-Target") != "secretsmanager.GetSecretValue":
		w.WriteHeader(http.StatusNotImplemented)
	case m.refuses != "" || !known:
		w.WriteHeader(http.StatusBadRequest)
		code := cmp.Or(m.refuses, "ResourceNotFoundException")
		_ = json.NewEncoder(w).Encode(map[string]string{"__type": code, "message": "PLANTED in a message"})
	default:
		_ = json.NewEncoder(w).Encode(map[string]string{"ARN": in.SecretId, "SecretString": value})
	}
}
