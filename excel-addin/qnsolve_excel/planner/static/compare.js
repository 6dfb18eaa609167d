// Scenarios side by side: dates, response times, CPU, what differs, what the difference costs.

import { at, made, seconds, shortNumber, table, typed, written } from "./dom.js";
import { ask, ServerError } from "./server.js";
import { be, drawCurve, lastOf } from "./results.js";
import { differences } from "./tree.js";

export function comparePanel(page) {
  const { store } = page;
  let asking = false, work = "";

  async function fetchMissing() {
    if (asking) return;
    asking = true;
    try {
      for (const scenario of store.scenarios) {
        const key = page.keyOf(scenario);
        if (page.results.has(key) || scenario === store.scenario) continue;
        try {
          const found = await ask("compare", { model: scenario.model, question: scenario.question });
          if (found) page.remember(key, found);
        } catch (fault) {
          if (!(fault instanceof ServerError)) throw fault;
          page.problem(`${scenario.name}: ${fault.message}`);
        }
        draw();
      }
    } finally {
      asking = false;
    }
  }

  function draw() {
    const root = at("compare");
    if (root.hidden) return;
    const scenarios = store.scenarios, found = scenarios.map((each) => page.answer(each));
    const focus = document.activeElement && document.activeElement.id;
    const parts = [made("h2", {}, "Scenarios side by side")];
    if (scenarios.length < 2) parts.push(made("p", { class: "note" }, "“Keep as scenario” keeps what you have and goes on with a copy; change the copy, then compare."));
    parts.push(made("div", { class: "wide" }, side(scenarios, found)));
    const works = [...new Set(scenarios.flatMap((each) => each.model.work.map((one) => one.name)))];
    if (!works.includes(work)) [work] = works;
    const select = made("select", { id: "compare-work" }, ...works.map((each) => made("option", { value: each, selected: each === work }, each)));
    select.addEventListener("change", () => { work = select.value; draw(); });
    parts.push(made("div", { class: "row" }, made("label", {}, "Response time of ", select)));
    const chart = root.querySelector("#compare-curve") || made("div", { id: "compare-curve", class: "chart", role: "img" });
    parts.push(chart);
    root.replaceChildren(...parts);
    const lines = scenarios.map((each, place) => ({ name: each.name, result: found[place], work })).filter((line) => line.result && line.result.periods[0].work.some((each) => each.name === work));
    if (lines.length) drawCurve(chart, lines);
    if (focus && at(focus)) at(focus).focus();
    fetchMissing();
  }

  function side(scenarios, found) {
    const [base] = found;
    const rows = [];
    const row = (name, make) => rows.push([name, ...scenarios.map((each, place) => (found[place] ? make(found[place], each, place) : "calculating …"))]);
    row("holds until", (result) => made("b", {}, result.verdict.holds_until || "not today"));
    row("then", (result) => (result.verdict.kind === "none" ? "–" : result.verdict.work ? `${result.verdict.work} misses its target at ${result.verdict.center}` : `${result.verdict.center} ${be(result.verdict.center)} full`));
    row("headroom", (result) => (result.headroom ? `${shortNumber(result.headroom)} times` : "–"));
    row("months more than the first", (result, _, place) => (place && base ? String(months(result.verdict.holds_until) - months(base.verdict.holds_until)) : "–"));
    for (const each of scenarios[0].model.work) {
      row(`response of ${each.name}, today`, (result) => seconds(valueOf(result.periods[0], each.name)));
      row(`… in ${base ? lastOf(base).name : "the last period"}`, (result) => seconds(valueOf(base ? result.periods.find((one) => one.name === lastOf(base).name) : null, each.name)));
    }
    const lpars = [...new Set(scenarios.flatMap((each) => each.model.lpars.map((one) => one.name)))];
    for (const name of lpars) {
      row(`CPU of ${name}, today`, (result) => percent(result.periods[0].cpu_percent[name]));
      row(`… in ${base ? lastOf(base).name : "the last period"}`, (result) => percent(((result.periods.find((one) => base && one.name === lastOf(base).name) || {}).cpu_percent || {})[name]));
    }
    rows.push(["differs from the first in", ...scenarios.map((each, place) => (place ? changes(scenarios[0], each) : "–"))]);
    rows.push(["cost, in any unit", ...scenarios.map((each, place) => cost(each, place))]);
    rows.push(["cost of a month gained", ...scenarios.map((each, place) => perMonth(scenarios[0], base, each, found[place], place))]);
    const heads = scenarios.map((each, place) => {
      const name = made("input", { type: "text", id: `name-${place}`, "aria-label": `Name of scenario ${place + 1}`, style: "width: 14rem; text-align: left" });
      name.value = each.name;
      name.addEventListener("change", () => store.note(place, "name", name.value.trim() || each.name));
      const go = made("button", { type: "button", id: `go-${place}`, disabled: place === store.current }, place === store.current ? "shown" : "show");
      go.addEventListener("click", () => store.choose(place));
      const away = made("button", { type: "button", id: `away-${place}`, disabled: scenarios.length < 2, "aria-label": `Remove ${each.name}` }, "remove");
      away.addEventListener("click", () => store.remove(place));
      return made("span", {}, name, " ", go, " ", away);
    });
    const made_table = table(["", ...heads], rows, [0]);
    made_table.className = "plain side";
    return made_table;
  }

  function cost(scenario, place) {
    const input = made("input", { type: "text", inputmode: "decimal", id: `cost-${place}`, "aria-label": `Cost of ${scenario.name}` });
    input.value = scenario.cost || "";
    input.addEventListener("change", () => store.note(place, "cost", input.value.trim()));
    return input;
  }

  function perMonth(first, base, scenario, result, place) {
    const [one, other] = [typed(first.cost || "0"), typed(scenario.cost || "")];
    if (!place || !base || !result || one === undefined || other === undefined) return "–";
    const gained = months(result.verdict.holds_until) - months(base.verdict.holds_until);
    return gained > 0 ? shortNumber((other - one) / gained, 4) : "no month gained";
  }

  return { draw };
}

export function months(text) {
  return text ? 12 * Number(text.slice(0, 4)) + Number(text.slice(5, 7)) : 0;
}

const percent = (value) => (value === undefined || value === null ? "–" : `${shortNumber(value)} %`);

function valueOf(period, name) {
  const work = period && period.solved ? period.work.find((each) => each.name === name) : null;
  return work ? work.response_time : null;
}

function changes(first, scenario) {
  const found = [...differences(first.model, scenario.model), ...differences({ question: first.question }, { question: scenario.question })];
  if (!found.length) return "nothing";
  const words = (value) => (value === undefined ? "none" : typeof value === "number" ? written(value) : typeof value === "object" ? "…" : String(value));
  return made("span", {}, ...found.slice(0, 6).flatMap(({ path, one, other }, place) => [place ? made("br") : "", `${path}: ${words(one)} → ${words(other)}`]), found.length > 6 ? " …" : "");
}
