"use strict";
// Comfort only: every page says all it has to say without this script.
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));
  const details = all("details.criterion");
  if (details.length > 1) {
    for (const tools of all(".tools")) tools.hidden = false;
    for (const [name, open] of [["[data-open]", true], ["[data-close]", false]]) {
      for (const button of all(name)) button.addEventListener("click", () => { for (const one of details) one.open = open; });
    }
  }

  // On the line of a criterion, arrows lead to the next and the previous one, Home and End to the first and the last.
  const lines = details.map((one) => one.querySelector("summary"));
  for (const [at, line] of lines.entries()) {
    line.addEventListener("keydown", (event) => {
      const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: lines.length - 1 }[event.key];
      if (to === undefined || !lines[to] || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      lines[to].focus();
    });
  }

  const reveal = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) if (at.localName === "details") at.open = true;
    if (target) target.scrollIntoView();
  };
  window.addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  let opened = [];
  window.addEventListener("beforeprint", () => { opened = details.filter((one) => !one.open); for (const one of opened) one.open = true; });
  window.addEventListener("afterprint", () => { for (const one of opened) one.open = false; });

  for (const block of all("pre.copy")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copier";
    button.textContent = "Copy";
    button.setAttribute("aria-label", "Copy the " + block.getAttribute("aria-label"));
    button.addEventListener("click", async () => {
      let done = true;
      try {
        await navigator.clipboard.writeText(block.textContent);
      } catch {
        const range = document.createRange();
        range.selectNodeContents(block);
        const selection = getSelection();
        selection.removeAllRanges();
        selection.addRange(range);
        done = document.execCommand("copy");
      }
      button.textContent = done ? "Copied" : "Selected: copy it by hand";
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
    block.before(button);
  }

  for (const form of all("form.filters[hidden]")) {
    const rows = all("table.matrix tbody tr");
    const fields = Array.from(form.querySelectorAll("select, input"));
    const has = (row, name, wanted) => row.dataset[name].split(name === "verdict" ? " " : "\u001f").includes(wanted);
    // Names and sentences of a task run, which are below the matrix.
    const words = new Map();
    const of = (row) => {
      if (!words.has(row)) {
        const link = row.querySelector("th a");
        const target = link && document.getElementById(link.getAttribute("href").slice(1));
        const told = target ? Array.from(target.querySelectorAll("h3, .sentence, .brief, .of"), (one) => one.textContent) : [];
        const titles = Array.from(row.querySelectorAll("[title]"), (one) => one.title);
        words.set(row, [row.textContent, ...titles, ...told].join(" ").toLowerCase());
      }
      return words.get(row);
    };
    const apply = () => {
      let shown = 0;
      for (const row of rows) {
        row.hidden = !fields.every((field) => {
          if (!field.value) return true;
          if (field.name !== "text") return has(row, field.name, field.value);
          return of(row).includes(field.value.toLowerCase());
        });
        shown += row.hidden ? 0 : 1;
      }
      form.querySelector("output").textContent = shown + " of " + rows.length + " task runs on this page";
    };
    form.hidden = false;
    form.addEventListener("input", apply);
    form.addEventListener("submit", (event) => { event.preventDefault(); apply(); });
    apply();
  }
})();
