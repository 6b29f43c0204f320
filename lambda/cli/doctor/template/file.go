package template

import (
	"fmt"
	"io"
	"os"
)

// maxTemplate is above the megabyte that CloudFormation accepts.
const maxTemplate = 4 << 20

// ReadFile reads a template from a file, and refuses one that is larger
// than CloudFormation accepts.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxTemplate+1))
	if err == nil && len(raw) > maxTemplate {
		err = fmt.Errorf("%s is larger than CloudFormation accepts", name)
	}
	return raw, err
}
