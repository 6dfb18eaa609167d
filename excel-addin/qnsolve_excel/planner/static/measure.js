// Measurements: what the doctor says of them, and their rates as those of the model.

import { at, made, shortNumber, table, written } from "./dom.js";
import { ask, base64Of, ServerError } from "./server.js";

export function measurePanel(page) {
  const { store } = page;
  let found = null, name = "", busy = false;

  async function take(file) {
    name = file.name;
    busy = true;
    found = null;
    draw();
    try {
      page.problem("");
      found = await ask("measure", { name, content: await base64Of(file), model: store.scenario.model });
    } catch (fault) {
      if (!(fault instanceof ServerError)) throw fault;
      page.problem(fault.message);
    }
    busy = false;
    draw();
  }

  function draw() {
    const root = at("measure");
    if (root.hidden) return;
    const input = made("input", { type: "file", id: "measured", accept: ".csv,.tsv,.txt,.json,.jsonl,.xml" });
    input.addEventListener("change", () => input.files[0] && take(input.files[0]));
    const drop = made("div", { class: "drop" }, made("label", { for: "measured" }, "Measured intervals: CSV, JSON, RMF XML or the printed CPU Activity report "), input);
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (event.dataTransfer.files[0]) take(event.dataTransfer.files[0]);
    });
    const parts = [made("h2", {}, "Measurements"), drop];
    if (busy) parts.push(made("p", { class: "state" }, made("span", { "data-busy": "yes" }, `reading ${name} …`)));
    if (found) parts.push(...said());
    root.replaceChildren(...parts);
  }

  function said() {
    const parts = [made("h2", {}, `${name}: ${found.rows} intervals`), made("p", { id: "measured-sum" }, found.sentence)];
    const items = found.findings.map((each) => made("li", {}, made("span", { class: "severity", "data-kind": each.severity }, `${each.severity}: `), each.sentence));
    parts.push(made("h2", {}, "What the doctor finds"));
    parts.push(items.length ? made("ul", { class: "findings", id: "findings" }, ...items) : made("p", { id: "findings" }, "Nothing: the laws hold, no gaps, no stuck or doubtful figures."));
    if (found.notes.length) parts.push(made("details", {}, made("summary", {}, "What was assumed in reading"), made("ul", {}, ...found.notes.map((each) => made("li", {}, each)))));
    parts.push(made("h2", {}, "Loads of the model"));
    if (found.loads.length) {
      parts.push(table(["work", "measured, mean", `at the peak${found.peak_time ? ", " + found.peak_time : ""}`, "in the model", "growth a year"], found.loads.map((each) => [each.work, each.mean, each.peak, each.model, each.growth].map((value, column) => (column === 0 ? value : value === null ? "–" : column === 4 ? `${shortNumber(100 * value)} %` : `${written(Number(value.toPrecision(5)))}${each.users ? "" : "/s"}`)))));
      const take = made("button", { type: "button", id: "take-loads", class: "first" }, "Take the peak loads into the model");
      take.addEventListener("click", () => {
        page.setModel(found.model);
        page.show("plan");
      });
      const row = made("div", { class: "row" }, take);
      const growing = found.loads.filter((each) => each.growth !== null);
      if (growing.length) {
        const grow = made("button", { type: "button", id: "take-growth" }, "Take the measured growth");
        grow.addEventListener("click", () => {
          const growth = Object.fromEntries(growing.map((each) => [each.work, `${shortNumber(100 * each.growth)}%/year`]));
          page.setQuestion({ ...store.scenario.question, growth: { ...before(store.scenario.question.growth), ...growth } });
          page.show("plan");
        });
        row.append(grow);
      }
      parts.push(row);
    } else {
      parts.push(made("p", { class: "note" }, found.hint));
    }
    return parts;
  }

  return { draw };
}

const before = (growth) => (growth && typeof growth === "object" ? growth : growth ? { "": growth } : {});
