// Shows times in the person's zone, and dates and numbers as the browser's locale does; highlights
// the place of a value, checks values while a person types, moves by the keyboard, and takes dropped
// files. Everything else works without it.
"use strict";
{
  const time = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeStyle: "short"});
  const date = new Intl.DateTimeFormat(undefined, {dateStyle: "medium", timeZone: "UTC"});
  for (const place of document.querySelectorAll("time[datetime]")) {
    const text = place.getAttribute("datetime"), at = new Date(text);
    if (isNaN(at)) continue;
    place.title = text;
    place.textContent = (text.length === 10 ? date : time).format(at);
  }
  for (const place of document.querySelectorAll("data[value]")) {
    const decimals = place.textContent.split(".")[1]?.length ?? 0; // as many as without the script
    place.textContent = new Intl.NumberFormat(undefined, {minimumFractionDigits: decimals, maximumFractionDigits: decimals}).format(place.value);
  }

  const form = document.getElementById("values");
  const sheets = document.querySelector(".sheets");

  const show = (input) => {
    if (!sheets) return;
    for (const old of sheets.querySelectorAll(".on")) old.classList.remove("on");
    const name = input?.name?.replace(/^value\./, "");
    const mark = name && sheets.querySelector(`rect[data-of="${CSS.escape(name)}"]`);
    if (!mark) return;
    mark.classList.add("on");
    const at = mark.getBoundingClientRect(), view = sheets.getBoundingClientRect();
    if (at.top < view.top || at.bottom > view.bottom) sheets.scrollTop += at.top - view.top - view.height / 2;
  };

  let asked = 0;
  const check = async () => {
    const turn = ++asked;
    const answer = await fetch(form.dataset.check, {method: "POST", body: new URLSearchParams(new FormData(form))});
    if (!answer.ok || turn !== asked) return;
    const flaws = await answer.json();
    for (const input of form.elements) input.removeAttribute("aria-invalid");
    for (const place of form.querySelectorAll(".flaw")) place.textContent = "";
    const rest = document.getElementById("flaws");
    rest.replaceChildren();
    for (const {field, text} of flaws) {
      form.elements["value." + field]?.setAttribute("aria-invalid", "true");
      const place = form.querySelector(`.flaw[data-of="${CSS.escape(field)}"]`);
      if (place && !place.textContent) {
        place.textContent = text;
      } else {
        const item = document.createElement("li");
        item.textContent = text;
        rest.append(item);
      }
    }
    form.dataset.checked = turn;
  };

  if (form) {
    let wait;
    form.addEventListener("input", () => {
      clearTimeout(wait);
      wait = setTimeout(() => check().catch(() => {}), 250);
    });
    form.addEventListener("focusin", (e) => show(e.target));
    form.addEventListener("mouseover", (e) => show(e.target.closest("label")?.control ?? e.target.closest("input")));
    const enters = (e) => e.key === "Enter" && e.target.tagName !== "BUTTON" && e.target.tagName !== "A";
    form.addEventListener("keypress", (e) => { if (enters(e)) e.preventDefault(); }); // it would save in the next input
    form.addEventListener("keydown", (e) => {
      if (!enters(e)) return;
      e.preventDefault();
      if (e.ctrlKey || e.metaKey) return form.requestSubmit();
      const all = [...form.querySelectorAll("input:not([type=hidden]), select, button")];
      all[all.indexOf(e.target) + 1]?.focus();
    });
    document.addEventListener("keydown", (e) => {
      if (e.altKey && e.code === "KeyN") document.getElementById("next-file").click();
    });
    sheets?.addEventListener("click", (e) => {
      if (e.target.dataset?.of) form.elements["value." + e.target.dataset.of]?.focus();
    });
  }

  const drop = document.querySelector(".drop");
  if (drop) {
    const file = drop.querySelector("[type=file]");
    const fits = () => {
      const size = [...file.files].reduce((sum, f) => sum + f.size, 0);
      const small = size <= Number(drop.dataset.most);
      drop.querySelector("output").textContent = small ? "" :
        `Too large: at most ${Math.floor(drop.dataset.most / 1048576)} MB at once. Send fewer files, or scan at fewer dots per inch.`;
      return small;
    };
    drop.addEventListener("submit", (e) => { if (!fits()) e.preventDefault(); });
    document.addEventListener("dragover", (e) => {
      if (!e.dataTransfer?.types.includes("Files")) return;
      e.preventDefault();
      drop.classList.add("over");
    });
    document.addEventListener("dragleave", () => drop.classList.remove("over"));
    document.addEventListener("drop", (e) => {
      if (!e.dataTransfer?.files.length) return;
      e.preventDefault();
      drop.classList.remove("over");
      file.files = e.dataTransfer.files;
      drop.requestSubmit();
    });
  }
}
