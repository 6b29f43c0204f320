package corpus

import (
	"encoding/json"
	"errors"
	"io"

	"matchbook/lambda/document"
	"matchbook/lambda/document/einvoice"
)

// readElectronic reads a file with one electronic document. If some values cannot be read, it
// takes the document, with remarks.
func (in *Input) readElectronic(file string, r io.Reader) error {
	d, err := einvoice.Read(r)
	var refused *einvoice.Refused
	if errors.As(err, &refused) {
		in.Refuse(file, refused.Line, refused.Reason)
		return nil
	}
	if err != nil {
		return err
	}
	raw, err := json.Marshal(struct {
		Type document.Type `json:"type"`
		Data document.Data `json:"structured_data"`
	}{d.Type, d.Data})
	if err != nil {
		return err
	}
	if !in.add(file, 1, raw) {
		return nil
	}
	for _, p := range d.Problems {
		in.Remarks = append(in.Remarks, Problem{file, p.Line, p.Path + ": " + p.What})
	}
	return nil
}
