package desk

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"unicode"
)

// Keys reads what a person presses: single keys of a terminal, or the first letter of
// each line of any other input. The channel is closed when the input ends. restore gives
// the terminal back as it was. Keys need stty: without it a terminal is read by lines.
func Keys(ctx context.Context, in *os.File) (keys <-chan rune, restore func()) {
	was, err := stty(ctx, in, "-g")
	if err == nil {
		_, err = stty(ctx, in, "-icanon", "-echo", "min", "1", "time", "0")
	}
	out := make(chan rune)
	if err != nil {
		go readLines(ctx, in, out)
		return out, func() {}
	}
	go readKeys(ctx, in, out)
	return out, func() {
		// The context may be done already.
		_, _ = stty(context.WithoutCancel(ctx), in, strings.TrimSpace(was))
	}
}

func stty(ctx context.Context, in *os.File, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "stty", args...)
	cmd.Stdin = in
	out, err := cmd.Output()
	return string(out), err
}

func readKeys(ctx context.Context, in io.Reader, out chan<- rune) {
	defer close(out)
	for r := bufio.NewReader(in); ; {
		key, _, err := r.ReadRune()
		if err != nil || key == 4 { // Ctrl-D
			return
		}
		if !send(ctx, out, key) {
			return
		}
	}
}

func readLines(ctx context.Context, in io.Reader, out chan<- rune) {
	defer close(out)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		key := '?'
		for _, letter := range strings.TrimSpace(lines.Text()) {
			key = letter
			break
		}
		if !send(ctx, out, key) {
			return
		}
	}
}

func send(ctx context.Context, out chan<- rune, key rune) bool {
	select {
	case out <- unicode.ToLower(key):
		return true
	case <-ctx.Done():
		return false
	}
}
