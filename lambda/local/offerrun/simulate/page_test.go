package simulate

import (
	"strings"
	"testing"

	"matchbook/lambda/offer/day"
)

func TestPageShowsEachZoneAndIsWhole(t *testing.T) {
	t.Parallel()
	r := newResult(Options{Users: 2, Days: 3, Zones: []string{"Asia/Kathmandu", "Asia/Kolkata"}, From: 20514})
	for date, c := range map[day.Date]Cell{20514: {Offered: 3}, 20515: {Offered: 3, Late: 1}, 20516: {Skipped: 2}} {
		*r.Heat.cell("Asia/Kathmandu", date) = c
	}
	*r.Heat.cell("<script>alert(1)</script>", 20514) = Cell{Offered: 1}
	r.Broken, r.Problems = 1, []string{`<img src=x onerror="alert(2)">`}
	page, err := r.Page()
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	for _, want := range []string{"UTC&#43;05:45, 1 zones", "Asia/Kathmandu", `class="o" x="1" width="1"`,
		"2026-03-02 to 2026-03-02: 3 offered, 0 of them late, 0 skipped, 0 failed", `class="l" x="2"`, `class="s" x="3"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not contain %s", want)
		}
	}
	for _, no := range []string{"<script", "<img", "http://", "https://", "url("} {
		if strings.Contains(text, no) {
			t.Errorf("the page contains %s", no)
		}
	}
}
