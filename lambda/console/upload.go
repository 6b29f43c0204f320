package console

import (
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"

	"matchbook/lambda/cli/term"
	"matchbook/lambda/console/login"
	"matchbook/lambda/document"
	"matchbook/lambda/failure"
	"matchbook/lambda/ingest/filetype"
	"matchbook/lambda/ingest/inbox"
	"matchbook/lambda/postgres/ingestions"

	"github.com/google/uuid"
)

// uploaded is the page after an upload.
type uploaded struct {
	Files []uploadedFile
	Taken int // new ones
}

// uploadedFile is a file as taken, or the reason why it wasn't.
type uploadedFile struct {
	Name     string
	Document uuid.UUID
	Known    bool
	Refused  string
}

// maxFiles bounds the files of an upload.
const maxFiles = 100

// maxMemory is the part of an upload kept in memory; the rest is in temporary files.
const maxMemory = 8 << 20

// upload takes files into the tenant's inbox, as the command ingest and files in the bucket do.
// The same file sent twice is the same document.
func (h *handler) upload(v *visit) error {
	tenant, err := document.ParseID(v.URL.Query().Get("tenant"))
	switch role := v.person.Role(tenant); {
	case err != nil || h.Files == nil || role == login.None:
		return errNotFound
	case role < login.Operator: // before its body is read
		return errNoOperator
	}
	v.Body = http.MaxBytesReader(v.w, v.Body, h.maxUpload())
	err = v.ParseMultipartForm(maxMemory)
	if v.MultipartForm != nil {
		defer func() { _ = v.MultipartForm.RemoveAll() }()
	}
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		h.message(v, http.StatusRequestEntityTooLarge, "Too large", fmt.Sprintf("You can upload %d MB at once. Nothing was taken: "+
			"send fewer files, or scan at fewer dots per inch. For larger files use matchbook ingest, or the inbox folder.",
			h.maxUpload()>>20))
		return nil
	}
	if err != nil {
		return errBadForm
	}
	if err := h.choose(v); err != nil {
		return err
	}
	files := v.MultipartForm.File["file"]
	if len(files) == 0 || len(files) > maxFiles {
		h.message(v, http.StatusBadRequest, "No file", fmt.Sprintf("Choose between 1 and %d files, and upload them again.", maxFiles))
		return nil
	}
	var u uploaded
	for _, f := range files {
		taken, err := h.take(v, f)
		if err != nil {
			return err
		}
		u.Files = append(u.Files, taken...)
	}
	for _, f := range u.Files {
		if f.Refused == "" && !f.Known {
			u.Taken++
		}
	}
	return h.show(v, http.StatusOK, "uploaded", "Uploaded", u)
}

func (h *handler) maxUpload() int64 {
	if h.MaxUpload > 0 {
		return h.MaxUpload
	}
	return filetype.MaxBytes
}

// take takes one file, or each file in a container.
func (h *handler) take(v *visit, f *multipart.FileHeader) (all []uploadedFile, err error) {
	name := term.Clean(f.Filename, term.MaxValue)
	file, err := f.Open()
	if err != nil {
		return nil, failure.At("open an uploaded file", err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, failure.At("read an uploaded file", err)
	}
	in := inbox.Inbox{Store: ingestions.New(h.DB), Files: h.Files, Sender: h.Reads, Log: h.Log}
	taken, err := in.Put(v.Context(), v.tenant.ID, f.Filename, data)
	switch why := failure.Of(err); {
	case err != nil && why.Kind == failure.Permanent:
		return []uploadedFile{{Name: name, Refused: why.Text}}, nil
	case err != nil:
		return nil, err
	}
	for _, t := range taken {
		all = append(all, uploadedFile{Name: term.Clean(t.Name, term.MaxValue), Document: t.DocumentID, Known: !t.New})
	}
	return all, nil
}
