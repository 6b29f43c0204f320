package matchrun

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// readEvent reads an event from a file, or from stdin if the name is -.
func readEvent(name string, stdin io.Reader) ([]byte, error) {
	read := func() ([]byte, error) { return os.ReadFile(name) }
	if name == "-" {
		name, read = "standard input", func() ([]byte, error) { return io.ReadAll(stdin) }
	}
	event, err := read()
	if err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	if !json.Valid(event) {
		return nil, fmt.Errorf("the event in %s is not valid JSON", name)
	}
	return event, nil
}
