package explain

import (
	"maps"
	"slices"

	"github.com/google/uuid"
)

// Called returns what people call rows, by id: type and number of their document, or its file. Rows
// without either are left out.
func (d *Reader) Called(ids []uuid.UUID) (map[uuid.UUID]string, error) {
	of, err := d.reports.DocumentsOf(d.ctx, ids)
	if err != nil {
		return nil, err
	}
	names, err := d.names(slices.Collect(maps.Values(of)))
	called := map[uuid.UUID]string{}
	for id, document := range of {
		for _, n := range names {
			if n.ID == document && n.Number+n.FileName != "" {
				called[id] = n.Called()
			}
		}
	}
	return called, err
}
