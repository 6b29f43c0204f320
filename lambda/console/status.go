package console

import (
	"net/http"

	"matchbook/lambda/cli/status"
)

// statusPage has the output of the command status, of a tenant and without messages, because the
// console may read no queue.
type statusPage struct {
	*status.Overview
	Failed, Stuck *status.Rows
	Legend        []status.Word
}

func (h *handler) status(v *visit) (err error) {
	if err := h.choose(v); err != nil {
		return err
	}
	r, p := status.Reader{DB: h.DB, Prices: h.Prices}, statusPage{Legend: status.Legend}
	if p.Overview, err = r.Overview(v.Context(), v.tenant.ID); err != nil {
		return err
	}
	if p.Failed, err = r.Rows(v.Context(), false, v.tenant.ID); err != nil {
		return err
	}
	if p.Stuck, err = r.Rows(v.Context(), true, v.tenant.ID); err != nil {
		return err
	}
	return h.show(v, http.StatusOK, "status", "Status", p)
}
