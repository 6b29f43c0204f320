package reading

import "context"

// Page x.
func (r *Run) Page(ctx context.Context, rep *Report) ([]byte, error) { return nil, nil }
