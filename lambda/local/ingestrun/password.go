package ingestrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/pdf"
)

// maxPasswords bounds the passwords, because each is tried on each PDF.
const maxPasswords = 20

// passwords reads the file of --password, one password in each line. The flag isn't the password
// itself, because the machine's list of processes and the shell's history would show it; nor do
// errors quote the flag, because it may be one by mistake.
func (o Options) passwords() (list []string, err error) {
	if o.Password == "" {
		return nil, nil
	}
	file, err := os.Open(o.Password)
	if err != nil {
		return nil, errors.New("--password: cannot open the file: expected a file with a password in each line")
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, 64<<10))
	if err != nil {
		return nil, errors.New("--password: cannot read the file")
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			list = append(list, line)
		}
	}
	if len(list) == 0 || len(list) > maxPasswords {
		return nil, fmt.Errorf("--password: expected 1 to %d lines, found %d", maxPasswords, len(list))
	}
	return list, nil
}

// decrypt replaces PDFs that one of the passwords opens by copies without encryption, so that no
// password leaves this process.
func (s *selection) decrypt(ctx context.Context, passwords []string) error {
	if len(passwords) == 0 {
		return nil
	}
	pdfs, err := pdf.New(pdf.Config{CacheDir: pdf.UserCache()})
	if err != nil {
		return err
	}
	defer func() { _ = pdfs.Close() }()
	for i := range s.files {
		f := &s.files[i]
		data, kind, refused, err := f.content()
		if err != nil {
			return err
		}
		if refused != "" || kind != filetype.PDF {
			continue
		}
		plain, ok, err := pdfs.Decrypt(ctx, data, passwords)
		if err != nil {
			return err
		}
		if ok {
			f.inner = plain
		}
	}
	return nil
}
