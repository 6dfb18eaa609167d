// The question bar: growth, dates, targets.

import { made, seconds, typed } from "./dom.js";

const TIME = /^\s*([0-9.,eE+-]+)\s*(ms|us|µs|s)?\s*$/;

export function drawQuestion(root, store, change) {
  const question = store.scenario.question || {};
  const works = (store.scenario.model.work || []).map((each) => each.name);
  const growth = growthOf(question);
  const open = root.querySelector("details") ? root.querySelector("details").open : works.length > 0 && works.length <= 3;
  const fields = [
    field("growth", "Growth, all work", growth[""] || "", "8%/quarter", "8%/year, 2%/quarter, 1%/month or 1.08^4"),
    field("begin", "From (load of today)", question.begin || "", month(0), "the month whose load the model has: 2026-12", "narrow"),
    field("until", "Until", question.until || "", month(24), "the last month that must hold: 2028-12", "narrow"),
    choice("by", "Periods", question.by || "quarter", ["quarter", "month", "year"]),
  ];
  const inner = made("div");
  for (const name of works) inner.append(field(`target ${name}`, `Target of ${name}`, timeText((question.targets || {})[name]), "200ms", "response time that must be met: 200ms or 0.2s", "narrow"));
  for (const name of works.length > 1 ? works : []) inner.append(field(`growth ${name}`, `Growth of ${name}`, growth[name] || "", growth[""] || "as all", "in place of the growth of all work", "narrow"));
  inner.append(
    field("seasons", "Seasons", seasonsText(question.seasons), "Q4=1.2", "load of a month or quarter over that of a plain month: Q4=1.2; 12=1.3, of one work orders.12=1.5"),
    field("special_days", "Special days", daysText(question.special_days), "11-26=1.8", "days with more work than their month: 2027-11-26=1.8 Black Friday; each year 11-26=1.8; of one work orders.11-26=2"),
  );
  const more = made("details", {}, made("summary", {}, "Targets, growth by work, seasons, special days"), inner);
  more.open = open;
  root.onchange = null; // a field that is taken out with a text in it changes nothing
  root.replaceChildren(...fields, more);
  root.onsubmit = (event) => event.preventDefault();
  root.onchange = (event) => take(root, store, change, event.target);
  root.onkeydown = (event) => { if (event.key === "Enter" && event.target.tagName === "INPUT") take(root, store, change, event.target); };
}

function field(name, label, value, placeholder, help, kind = "") {
  const id = `q-${name.replace(/[^A-Za-z0-9]+/g, "-")}`;
  const input = made("input", { id, name, type: "text", class: kind, placeholder, title: help, spellcheck: "false" });
  input.value = value;
  input.dataset.taken = value;
  return made("div", { class: "field" }, made("label", { for: id }, label), input);
}

function choice(name, label, value, choices) {
  const input = made("select", { id: `q-${name}`, name }, ...choices.map((each) => made("option", { value: each, selected: each === value }, each)));
  return made("div", { class: "field" }, made("label", { for: `q-${name}` }, label), input);
}

export function growthOf(question) {
  const given = question.growth;
  if (given === undefined || given === null) return {};
  return typeof given === "object" ? { ...given } : { "": typeof given === "number" ? `${100 * given}%/year` : given };
}

function timeText(value) {
  if (value === undefined || value === null || value === "") return "";
  return typeof value === "number" ? seconds(value).replace(" ", "") : value;
}

// as the fields take them: "12=1.3; orders.Q4=1.2"
function seasonsText(given) {
  if (typeof given !== "object" || given === null) return given || "";
  const each = (factors, work) => Object.entries(factors).map(([name, value]) => (typeof value === "object" ? each(value, `${name}.`) : `${work}${name}=${value}`));
  return each(given, "").flat().join("; ");
}

function daysText(given) {
  if (!Array.isArray(given)) return given || "";
  const works = (day) => (Array.isArray(day.work) ? day.work : [day.work]).filter(Boolean);
  const named = (day) => (day.name ? ` ${day.name.replace(/[;,=]/g, " ")}` : "");
  return given.map((day) => `${works(day).join("+")}${works(day).length ? "." : ""}${day.date}=${day.factor}${named(day)}`).join("; ");
}

function month(ahead) {
  const now = new Date();
  const at = now.getFullYear() * 12 + now.getMonth() + ahead;
  return `${Math.floor(at / 12)}-${String((at % 12) + 1).padStart(2, "0")}`;
}

function take(root, store, change, input) {
  const { name } = input, value = input.value.trim();
  const question = { ...store.scenario.question };
  input.removeAttribute("aria-invalid");
  if (name.startsWith("target ")) {
    const targets = { ...(question.targets || {}) }, work = name.slice(7), match = TIME.exec(value);
    if (value === "") delete targets[work];
    else if (!match || typed(match[1]) === undefined) return wrong(input, "must be a time: 200ms or 0.2s");
    else targets[work] = Number((typed(match[1]) * { s: 1, ms: 1e-3, us: 1e-6, "µs": 1e-6 }[match[2] || "s"]).toPrecision(12));
    question.targets = targets;
  } else if (name === "growth" || name.startsWith("growth ")) {
    const growth = growthOf(question), work = name === "growth" ? "" : name.slice(7);
    if (value === "") delete growth[work]; else growth[work] = value;
    question.growth = growth;
  } else if (value === "") delete question[name];
  else question[name] = value;
  input.dataset.taken = input.value;
  wrong(input, "");
  if (JSON.stringify(question) !== JSON.stringify(store.scenario.question)) change(question, input);
}

export function wrong(input, text) {
  const old = input.parentElement.querySelector("small");
  if (old) old.remove();
  if (!text) return input.removeAttribute("aria-invalid");
  input.setAttribute("aria-invalid", "true");
  input.parentElement.append(made("small", { role: "alert" }, text));
}
