package failuretest

import (
	"encoding/base64"
	"testing"
)

func TestLeaksFindsAllForms(t *testing.T) {
	t.Parallel()
	const secret = " Hidden <answer> & \"naïve\"\n"
	for _, form := range Forms(secret) {
		if len(Leaks([]string{secret}, "before "+form+" after")) == 0 {
			t.Errorf("did not find %q", form)
		}
	}
	for shift := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte("xyz"[:shift] + secret + "after"))
		if len(Leaks([]string{secret}, text)) == 0 {
			t.Errorf("did not find %q behind %d bytes in base64", secret, shift)
		}
	}
	if found := Leaks([]string{secret}, "model provider failed (HTTP 500)"); len(found) > 0 {
		t.Errorf("found %q", found)
	}
}
