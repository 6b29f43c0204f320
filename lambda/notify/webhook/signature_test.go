package webhook

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestSignatureOfOpenSSL(t *testing.T) {
	t.Parallel()
	if got := sign(testSecret, time.Unix(testTime, 0), []byte(testBody)); got != testSignature {
		t.Errorf("got %s, want %s", got, testSignature)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	const minutes = 5 * time.Minute
	at := time.Unix(testTime, 0)
	signature := strings.TrimPrefix(testSignature, "t=1774767600,")
	for name, tc := range map[string]struct {
		secret, header, body string
		now                  time.Time
		want                 error
	}{
		"as it was sent":           {testSecret, testSignature, testBody, at, nil},
		"hex in capitals":          {testSecret, "t=1774767600,v1=" + strings.ToUpper(signature[3:]), testBody, at, nil},
		"five minutes later":       {testSecret, testSignature, testBody, at.Add(minutes), nil},
		"five minutes before":      {testSecret, testSignature, testBody, at.Add(-minutes), nil},
		"later than that":          {testSecret, testSignature, testBody, at.Add(minutes + 1), ErrTime},
		"before that":              {testSecret, testSignature, testBody, at.Add(-minutes - 1), ErrTime},
		"another secret":           {testSecret + "x", testSignature, testBody, at, ErrSignature},
		"another body":             {testSecret, testSignature, testBody + " ", at, ErrSignature},
		"another time":             {testSecret, "t=1774767601," + signature, testBody, at, ErrSignature},
		"no header":                {testSecret, "", testBody, at, ErrSignature},
		"no time":                  {testSecret, signature, testBody, at, ErrSignature},
		"no signature":             {testSecret, "t=1774767600", testBody, at, ErrSignature},
		"an empty signature":       {testSecret, "t=1774767600,v1=", testBody, at, ErrSignature},
		"half a signature":         {testSecret, testSignature[:len(testSignature)/2], testBody, at, ErrSignature},
		"no hex":                   {testSecret, "t=1774767600,v1=" + strings.Repeat("x", 64), testBody, at, ErrSignature},
		"another scheme":           {testSecret, "t=1774767600,v0=" + signature[3:], testBody, at, ErrSignature},
		"a time that is no number": {testSecret, "t=now,v1=" + hex.EncodeToString(mac(testSecret, "now", nil)), "", at, ErrSignature},
	} {
		if got := Verify(tc.secret, tc.header, []byte(tc.body), tc.now, minutes); !errors.Is(got, tc.want) {
			t.Errorf("%s: got %v, want %v", name, got, tc.want)
		}
	}
}

func FuzzVerify(f *testing.F) {
	f.Add(testSignature, []byte("{}"))
	f.Fuzz(func(t *testing.T, header string, body []byte) {
		if Verify(testSecret, header, body, time.Unix(testTime, 0), time.Hour) == nil && string(body) != testBody {
			t.Errorf("accepted %q of %q", header, body)
		}
	})
}
