package console_test

import (
	"fmt"
	"testing"

	"matchbook/lambda/console/login"

	"github.com/chromedp/chromedp"
)

// until waits for a condition in JavaScript.
func (p *tab) until(condition string) {
	p.t.Helper()
	if _, err := chromedp.Run(p, chromedp.Poll[bool](condition)); err != nil {
		p.t.Fatalf("%s: %v; the page: %s", condition, err, p.text())
	}
}

// fill types a value instead of the one in an input.
func (p *tab) fill(name, value string) {
	p.t.Helper()
	p.Run(chromedp.Evaluate[chromedp.Void](fmt.Sprintf("document.querySelector('[name=%q]').select()", name)), chromedp.KeyEvent(value))
}

// drops lays a file onto the page, as a person does with the mouse.
const drops = `(() => {
	const all = new DataTransfer();
	all.items.add(new File([%q], %q));
	document.dispatchEvent(new DragEvent("drop", {dataTransfer: all, bubbles: true, cancelable: true}));
})()`

// A person drops a file, is led to what is wrong, mends it beside its place on the page, and goes
// on to the next file, by the keyboard alone.
func TestBrowserFinishesFiles(t *testing.T) {
	t.Parallel()
	atWidths(t, func(t *testing.T, width int64) {
		s := newDesk(t)
		setUp := s.as(everything(login.Operator))
		first, second := s.uploaded(setUp, "invoice.pdf"), s.uploaded(setUp, "two-invoices.pdf")
		p := s.serve(everything(login.Operator)).open(width)
		p.visit("/documents?tenant=" + tenantA.String())
		p.holds(`(() => { // while files hang over the page, it says so
			const drop = document.querySelector(".drop"), files = new DataTransfer(), text = new DataTransfer();
			files.items.add(new File(["x"], "x.pdf"));
			text.setData("text/plain", "x");
			const over = (data) => !document.dispatchEvent(new DragEvent("dragover", {dataTransfer: data, bubbles: true, cancelable: true})) && drop.classList.contains("over");
			const some = !over(text) && over(files);
			document.dispatchEvent(new DragEvent("dragleave", {bubbles: true}));
			return some && !drop.classList.contains("over");
		})()`)
		p.holds(`(() => { // what is too large is not sent
			const drop = document.querySelector(".drop"), most = drop.dataset.most, all = new DataTransfer();
			const send = (bytes) => {
				all.items.clear();
				for (let n = 0; n < 2; n++) all.items.add(new File(["x".repeat(bytes / 2)], n + ".pdf"));
				drop.querySelector("[type=file]").files = all.files;
				return drop.dispatchEvent(new SubmitEvent("submit", {bubbles: true, cancelable: true}));
			};
			const said = () => drop.querySelector("output").textContent;
			drop.dataset.most = 2097152;
			const large = !send(2097154) && said() === "Too large: at most 2 MB at once. Send fewer files, or scan at fewer dots per inch.";
			drop.addEventListener("submit", (e) => { if (said() === "") e.preventDefault(); }, {once: true}); // only asked
			send(2097152);
			drop.dataset.most = most;
			return large && said() === "";
		})()`)
		p.RequestsMayFail() // a refused form is a 422
		p.leads("a dropped file", chromedp.Evaluate[chromedp.Void](fmt.Sprintf(drops, "%PDF-1.7 x", "late.pdf")))
		p.want("1 new file", "late.pdf")
		p.Barriers()
		p.visit("/documents/" + first.String())
		p.want("A person must look", "the date is unsure")
		p.Barriers()
		p.Run(chromedp.EmulateViewport(width, 340), chromedp.Focus(`[name="value.tax"]`)) // so low that the pages scroll
		p.holds(`document.querySelector('rect.on').dataset.of === "tax"`)
		p.Run(chromedp.KeyEvent("\r"))
		p.holds(`document.activeElement.name === "value.total"`)
		p.holds(`(() => { const at = document.querySelector('rect.on').getBoundingClientRect(), in_ = document.querySelector('.sheets').getBoundingClientRect();
			return at.top >= in_.top && at.bottom <= in_.bottom })()`)
		p.Run(chromedp.EmulateViewport(width, 900))
		p.holds(`(() => { // the mouse shows a value's place, and a place leads to its value
			const on = () => [...document.querySelectorAll("rect.on")].map((r) => r.dataset.of).join();
			const mouse = (at, type) => { document.querySelector(at).dispatchEvent(new MouseEvent(type, {bubbles: true})); return on(); };
			const label = document.querySelector('[name="value.number"]').closest("label");
			label.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
			return on() === "number" && mouse('[name="value.line_items.0.amount"]', "mouseover") === "line_items.0.amount" &&
				mouse('[name="value.buyer.vat_id"]', "mouseover") === "" &&
				mouse('rect[data-of="date"]', "click") === "date" && document.activeElement.name === "value.date";
		})()`)
		p.fill("value.total", "1.245,15")
		p.until(`document.querySelector('.flaw[data-of="total"]').textContent.includes("add up to 1244.15")`)
		p.holds(`[...document.querySelectorAll("[aria-invalid=true]")].map((i) => i.name).join() === "value.total"`)
		p.leads("Ctrl+Enter", chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		p.want("Nothing was saved yet", "Save it although this remains")
		p.Barriers()
		p.fill("value.total", "1.244,15")
		p.until(`document.querySelector('.flaw[data-of="total"]').textContent === ""`)
		p.holds(`!document.querySelector("[aria-invalid]") && !document.querySelector("#flaws li")`)
		p.leads("Ctrl+Enter", chromedp.KeyEvent("\r", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
		p.want("Saved: the document needs nobody any more.")
		p.leads("Alt+N", chromedp.KeyEvent("n", chromedp.KeyModifiers(chromedp.ModifierAlt)))
		p.holds(`location.pathname === "/documents/` + second.String() + `"`)
		p.press(`form[action$="/read"] button`)
		p.want("Its file will be read again.")
		p.press(`form[action$="/divide"] button`)
		p.want("one document from each part")
		p.Run(chromedp.SendKeys(`form[action$="/dismiss"] [name=reason]`, "an advert"))
		p.press(`form[action$="/dismiss"] button`)
		p.want("matched with nothing")
		p.Barriers()
		p.NoErrors()
	})
}
