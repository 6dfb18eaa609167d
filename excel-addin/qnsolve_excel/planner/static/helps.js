// What would help most: changes that are tried one by one, each with its date.

import { at, made, shortNumber, table } from "./dom.js";
import { ask, ServerError } from "./server.js";

// own what-ifs change nothing of what else would help
const keyOf = ({ model, question }) => JSON.stringify([model, { ...question, what_ifs: [] }]);

export function helpsPanel(page) {
  const { store } = page;
  const found = new Map(); // answers by model and question
  let asking = "";

  async function seek() {
    const { scenario } = store, key = keyOf(scenario);
    asking = key;
    draw();
    try {
      const answer = await ask("help", { model: scenario.model, question: scenario.question });
      if (answer) found.set(key, answer);
    } catch (fault) {
      if (!(fault instanceof ServerError)) throw fault;
      page.problem(fault.message);
    }
    if (asking === key) asking = "";
    draw();
  }

  function draw() {
    const root = at("helps");
    if (root.hidden) return;
    const { scenario } = store, key = keyOf(scenario), answer = found.get(key), busy = asking === key;
    const focus = document.activeElement && document.activeElement.id;
    const button = made("button", { type: "button", id: "seek", class: "first", disabled: busy }, "What would help most?");
    button.addEventListener("click", seek);
    const text = made("input", { type: "text", id: "what-if", placeholder: "PROD.engines+1, AOR*.mxt*1.5, DFHLOG.stripes=2", spellcheck: "false" });
    const add = made("form", { class: "row", autocomplete: "off" }, made("label", { for: "what-if" }, "Try a change "), text, made("button", { type: "submit", id: "try" }, "Try"));
    add.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!text.value.trim()) return;
      page.setQuestion({ ...scenario.question, what_ifs: [...(scenario.question.what_ifs || []), text.value.trim()] });
    });
    const parts = [
      made("h2", {}, "What would help most?"),
      made("p", { class: "note" }, "Tries an engine, zIIP, region, stripe and higher limit where something is nearly full, and each figure 10 % better; sorted by the months gained."),
      made("div", { class: "row" }, button, made("span", { class: "state" }, made("span", { id: "seeking", "data-busy": busy ? "yes" : "no" }, busy ? "solving each change; up to a minute for large systems …" : ""))),
    ];
    if (answer) parts.push(made("p", {}, answer.sentence), made("div", { class: "wide", id: "helps-table" }, listed(answer.changes)));
    parts.push(made("h2", {}, "Own what-ifs"), made("p", { class: "note" }, "Name of a part, a figure and a change: =2, +1, *1.5, +25%; AOR1.split=2 makes two regions of one; several with commas between them."), add);
    const own = scenario.question.what_ifs || [], result = page.answer(scenario);
    if (own.length) parts.push(made("div", { class: "wide", id: "own-table" }, mine(own, result)));
    root.replaceChildren(...parts);
    if (focus && at(focus)) at(focus).focus();
  }

  function mine(own, result) {
    const answers = result ? result.what_ifs : [];
    const rows = own.map((text, place) => {
      const one = answers[place];
      const away = made("button", { type: "button", "aria-label": `Remove ${text}` }, "remove");
      away.addEventListener("click", () => page.setQuestion({ ...store.scenario.question, what_ifs: own.filter((_, each) => each !== place) }));
      return one ? [text, one.holds_until || "not today", gain(one), one.cause || "–", away] : [text, "calculating …", "", "", away];
    });
    return table(["change", "holds until", "months gained", "then", ""], rows, [0, 1, 3]);
  }

  return { draw };
}

const gain = (one) => `${one.at_least ? "≥ " : ""}${one.months > 0 ? "+" : ""}${one.months}`;

function listed(changes) {
  const rows = changes.map((one) => [
    one.remark ? made("span", {}, one.name, made("br"), made("small", {}, one.remark)) : one.name,
    one.holds_until || "not today",
    one.estimate ? `about ${gain(one)}` : gain(one),
    one.cpu_change === null || one.cpu_change === undefined ? "–" : `${shortNumber(Math.round(1e4 * one.cpu_change) / 100, 2)} %`.replace("-", "−"),
    one.cause || "–",
  ]);
  return table(["change", "holds until", "months gained", "CPU", "then"], rows, [0, 1, 4]);
}
