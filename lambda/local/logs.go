package local

import (
	"fmt"
	"io"
	"os"
)

// OpenLogs opens the file that --logs names; - is standard error.
func OpenLogs(file string, standard io.Writer) (logs io.Writer, stop func() error, err error) {
	stop = func() error { return nil }
	switch file {
	case "":
		return io.Discard, stop, nil
	case "-":
		return standard, stop, nil
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, stop, fmt.Errorf("--logs: %w", err)
	}
	return f, f.Close, nil
}
