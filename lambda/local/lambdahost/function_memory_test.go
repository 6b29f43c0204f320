package lambdahost

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"matchbook/lambda/local/internal/gatetest"
)

func TestFunctionMemoryLimit(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("MemoryLimitMB has no effect on this system")
	}
	g := gatetest.New(t)
	grow := fmt.Sprintf(`{"do":"grow","addr":%q}`, g.Addr())
	limited := newTestFunction(t, Config{MemoryLimitMB: 256})
	if got := mustInvoke(t, limited, `{"do":"env"}`); !strings.Contains(got, "AWS_LAMBDA_FUNCTION_MEMORY_SIZE=256") {
		t.Errorf("the function is not told its limit: %s", got)
	}
	got := invokeError(t, limited, grow)
	if got.Type != "Runtime.ExitError" || !strings.HasSuffix(got.Message, "Runtime exited with error: signal: killed") {
		t.Errorf("got %v, want killed", got)
	}
	unlimited := newTestFunction(t, Config{MemoryMB: 256})
	done := invokeAsync(t, unlimited, grow)
	g.Next().Release()
	if err := <-done; err != nil {
		t.Errorf("without a limit: %v", err)
	}
}
