package corpus

import (
	"io"
	"strings"
)

// readSheet reads the documents of a CSV file.
func (in *Input) readSheet(file string, r io.Reader) error {
	sheet := *in.reader.Sheet
	sheet.Tenant = in.reader.Tenant
	read, err := sheet.Read(r)
	if err != nil {
		return err
	}
	if len(read.Unknown) > 0 {
		in.Remarks = append(in.Remarks, Problem{file, 1, "columns that are not read: " + strings.Join(read.Unknown, ", ")})
	}
	for _, p := range read.Problems {
		in.Refuse(file, p.Line, p.What)
	}
	for _, row := range read.Rows {
		in.add(file, row.Line, row.JSON)
	}
	return nil
}
