package tesseract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"matchbook/lambda/failure"
)

const (
	maxOutput = 16 << 20 // bytes of a page's words
	maxErrors = 16 << 10 // bytes of messages
)

func (r *reader) run(ctx context.Context, input io.Reader, args ...string) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, r.Time)
	defer cancel()
	out, messages := &bounded{limit: maxOutput}, &bounded{limit: maxErrors}
	cmd := r.command(limited, input, args...)
	cmd.Stdout, cmd.Stderr = out, messages
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, failure.At("run tesseract", context.Cause(ctx))
	case limited.Err() != nil:
		return nil, failure.Permanently("tesseract did not finish a page within %v: the image is not a page of text, "+
			"or far too large; scan it at fewer dots per inch", r.Time)
	case out.over:
		return nil, failure.Permanently(
			"tesseract returned more than %d MB for a page: the image is not a page of text", maxOutput>>20)
	case err != nil:
		return nil, classify(err, string(messages.kept))
	}
	return out.kept, nil
}

// command returns a process of the program in a separate process group, killed with ctx.
func (r *reader) command(ctx context.Context, input io.Reader, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, r.Program, args...)
	cmd.Stdin = input
	cmd.Env = []string{"OMP_THREAD_LIMIT=1", "LC_ALL=C.UTF-8"} // pass no secrets
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 2 * time.Second // for a pipe that another process holds open
	return cmd
}

// bounded keeps the first bytes written to it.
type bounded struct {
	kept  []byte
	limit int
	over  bool
}

// Write implements io.Writer. It accepts everything.
func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - len(b.kept)
	b.over = b.over || len(p) > room
	b.kept = append(b.kept, p[:min(len(p), room)]...)
	return len(p), nil
}

// failures classifies a failed process by the first matching row. The sentences must not quote
// the program's messages, because these may hold names of files.
var failures = []struct {
	name     string
	match    func(err error, messages string) bool
	kind     failure.Kind
	sentence string
}{
	{"no program", func(err error, _ string) bool {
		return errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)
	}, failure.Permanent, "tesseract is not installed; run apt-get install tesseract-ocr tesseract-ocr-deu"},
	{"no right to run it", func(err error, _ string) bool { return errors.Is(err, fs.ErrPermission) },
		failure.Permanent, "tesseract is not executable; check its permissions"},
	{"killed", func(err error, _ string) bool { return signal(err) == syscall.SIGKILL },
		failure.Transient, "tesseract was killed, perhaps because it ran out of memory"},
	{"no memory", message("bad_alloc", "alloc fail", "llocate memory", "failed to map segment"),
		failure.Transient, "tesseract ran out of memory"},
	{"crashed", func(err error, _ string) bool { return signal(err) != 0 },
		failure.Permanent, "tesseract crashed on the image; save the file again and send that"},
	{"no language", message("Failed loading language", "Error opening data file"),
		failure.Permanent, "missing language data for tesseract; run apt-get install tesseract-ocr-deu"},
	{"too large", message("Image too large"),
		failure.Permanent, "image too large for tesseract; scan it at fewer dots per inch"},
	{"no image", message("Error during processing", "image file", "pixRead"),
		failure.Permanent, "tesseract cannot read the image; save the file again and send that"},
	{"ended with an error", func(err error, _ string) bool { e := new(exec.ExitError); return errors.As(err, &e) },
		failure.Transient, "tesseract ended with an error; if it keeps failing, save the file again and send that"},
	{"not started", func(error, string) bool { return true }, failure.Transient, "tesseract could not be started"},
}

func message(parts ...string) func(error, string) bool {
	return func(_ error, messages string) bool {
		for _, m := range parts {
			if strings.Contains(messages, m) {
				return true
			}
		}
		return false
	}
}

// signal returns the signal that ended a process, or 0.
func signal(err error) syscall.Signal {
	exit := new(exec.ExitError)
	if !errors.As(err, &exit) {
		return 0
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal()
	}
	return 0
}

func classify(err error, messages string) error {
	for _, row := range failures {
		if row.match(err, messages) {
			return &failure.Error{Kind: row.kind, Sentence: row.sentence}
		}
	}
	return err // unreachable, because the last row matches all
}

// pgm returns an image in a format that is fast to write and read.
func pgm(m *image.Gray) io.Reader {
	header := fmt.Sprintf("P5\n%d %d\n255\n", m.Rect.Dx(), m.Rect.Dy())
	if m.Stride == m.Rect.Dx() {
		return io.MultiReader(strings.NewReader(header), bytes.NewReader(m.Pix))
	}
	rows := []io.Reader{strings.NewReader(header)}
	for y := range m.Rect.Dy() {
		rows = append(rows, bytes.NewReader(m.Pix[y*m.Stride:y*m.Stride+m.Rect.Dx()]))
	}
	return io.MultiReader(rows...)
}
