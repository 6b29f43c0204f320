package failure_test

import (
	"strings"
	"testing"

	"matchbook/lambda/failure"
)

func TestBodyAtLimitIsRead(t *testing.T) {
	t.Parallel()
	if body, err := failure.ReadBody(strings.NewReader("1234"), 4); string(body) != "1234" || err != nil {
		t.Errorf("got %q, %v", body, err)
	}
	_, err := failure.ReadBody(strings.NewReader("12345"), 4)
	if c := (&failure.Call{Status: 200, Network: err}); !c.TooLarge() {
		t.Errorf("got %v, which is not too large", err)
	}
}
