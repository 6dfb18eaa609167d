// The figures of the model: a field each, with its unit beside it and its meaning below.

import { made, typed, written } from "./dom.js";
import { valueAt } from "./store.js";

let known = []; // fields, in order
let shape = "";

export function shapeOf(model) {
  // what a change of a figure leaves as it is: keys and names
  return JSON.stringify(model, (key, value) => (typeof value === "number" ? 0 : value));
}

// `tree` as the server describes it; `change(paths, value, field)` is called for each change
export function drawTree(root, tree, store, change) {
  const open = new Set([...root.querySelectorAll("details[open]")].map((each) => each.dataset.name));
  const groups = [];
  known = [];
  for (const part of tree) {
    for (const item of part.items) {
      const about = part.part === "regions" || part.part === "work" ? `${part.title === "Work" ? "work" : item.kind === "ImsRegions" ? "IMS regions" : item.names.length > 1 ? `${item.names.length} equal CICS regions` : "CICS region"}` : one(part.title);
      const box = made("details", { "data-name": item.name, id: idOf(item.names[0]) }, made("summary", {}, item.name, " ", made("small", {}, about)));
      if (open.has(item.name) || (!root.children.length && part.part === "work" && !groups.some((each) => each.open))) box.open = true;
      box.append(body(item, store, change));
      groups.push(box);
    }
  }
  root.replaceChildren(...groups);
  shape = shapeOf(store.scenario.model);
}

const one = (title) => ({ "LPARs": "LPAR", "Coupling facilities": "coupling facility", "Logs": "log", "Devices": "device" })[title] || title;

export const idOf = (name) => `part-${name.replace(/[^A-Za-z0-9]+/g, "-")}`;

function body(item, store, change) {
  const inside = made("div", { class: "body" });
  const rest = made("div");
  let group = null, restGroup = null;
  for (const figure of item.figures) {
    const given = figure.given && !(figure.key === "burst" && figure.value === 1);
    const into = given ? inside : rest;
    const before = given ? group : restGroup;
    if (figure.group !== before && figure.group) into.append(made("h3", {}, figure.group));
    if (given) group = figure.group; else restGroup = figure.group;
    into.append(field(item, figure, store, change));
  }
  if (rest.children.length) inside.append(made("details", { class: "more", "data-name": `${item.name} more` }, made("summary", {}, "More figures, as they are by default"), rest));
  return inside;
}

function field(item, figure, store, change) {
  const id = `f-${figure.paths[0].join("-").replace(/[^A-Za-z0-9-]+/g, "_")}`;
  const words = `${item.name}${figure.group ? ", " + figure.group : ""}: ${figure.label}`;
  const row = made("div", { class: "figure", "data-words": `${words} ${figure.help}`.toLowerCase() });
  let input;
  if (figure.kind === "flag") {
    input = made("input", { id, type: "checkbox" });
  } else if (figure.kind === "choice") {
    input = made("select", { id }, ...["", ...figure.choices].map((each) => made("option", { value: each }, each || "by itself")));
  } else {
    input = made("input", { id, type: "text", inputmode: "decimal", spellcheck: "false", "data-path": JSON.stringify(figure.paths[0]) });
  }
  input.setAttribute("aria-describedby", `${id}-help`);
  const label = made("label", { for: id }, made("span", { class: "visually-hidden" }, `${item.name} ${figure.group} `), figure.label);
  const unit = made("span", { class: "unit" }, figure.shown_unit);
  const help = made("p", { class: "help", id: `${id}-help` }, `${figure.shown_unit ? figure.shown_unit + ". " : ""}${figure.help}`);
  row.append(label, input, unit, help);
  const entry = { row, input, figure, store, names: item.names };
  known.push(entry);
  show(entry);
  input.addEventListener(figure.kind === "number" ? "input" : "change", () => take(entry, change));
  if (figure.kind === "number") input.addEventListener("keydown", (event) => stepped(event, entry, change));
  return row;
}

function current(entry) {
  const found = valueAt(entry.store.scenario.model, entry.figure.paths[0]);
  return found === undefined ? entry.figure.given ? undefined : entry.figure.value : found;
}

function show(entry) {
  const value = current(entry), { figure, input } = entry;
  if (figure.kind === "flag") input.checked = Boolean(value);
  else if (figure.kind === "choice") input.value = value || "";
  else if (typed(input.value) === undefined || written(typed(input.value)) !== shown(figure, value)) input.value = shown(figure, value);
  wrong(entry, "");
}

const shown = (figure, value) => (value === undefined || value === null ? "" : written(value * figure.factor));

function take(entry, change) {
  const { figure, input } = entry;
  let value;
  if (figure.kind === "flag") value = input.checked;
  else if (figure.kind === "choice") value = input.value || undefined;
  else if (input.value.trim() === "") {
    if (figure.given) return wrong(entry, "must be a number; write one");
  } else {
    value = typed(input.value);
    if (value === undefined) return wrong(entry, "must be a number; write it with digits and a point");
    value = Number((value / figure.factor).toPrecision(14));
  }
  wrong(entry, "");
  change(figure.paths, value, entry);
}

export function wrong(entry, text) {
  const old = entry.row.querySelector(".wrong");
  if (old) old.remove();
  entry.input.toggleAttribute("aria-invalid", false);
  if (!text) return;
  entry.input.setAttribute("aria-invalid", "true");
  entry.row.append(made("p", { class: "wrong", role: "alert" }, text));
}

function stepped(event, entry, change) {
  const { figure, input } = entry;
  if (event.key === "Enter") {
    event.preventDefault();
    const visible = known.filter((each) => each.row.offsetParent !== null);
    const next = visible[visible.indexOf(entry) + (event.shiftKey ? -1 : 1)];
    if (next) {
      next.input.focus();
      if (next.input.select) next.input.select();
    }
    return;
  }
  const way = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
  if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  const before = typed(input.value) || 0;
  const size = figure.whole || figure.key === "engines" ? 1 : before === 0 ? 1 : 10 ** (Math.floor(Math.log10(Math.abs(before))) - 1);
  let value = before + way * size * (event.shiftKey ? 10 : 1);
  if (!figure.whole) value = Math.round(value / size) * size;
  input.value = written(Math.max(value, 0));
  take(entry, change);
}

// the fields show what the model has, as after an undo; false where its parts are others
export function refresh(store) {
  if (shapeOf(store.scenario.model) !== shape) return false;
  for (const entry of known) show(entry);
  return true;
}

export function mark(base, model) {
  // figures that differ from another scenario
  for (const entry of known) {
    const [one, other] = [valueAt(base, entry.figure.paths[0]), valueAt(model, entry.figure.paths[0])];
    entry.row.classList.toggle("changed", JSON.stringify(one) !== JSON.stringify(other));
  }
}

export function find(root, words) {
  const asked = words.toLowerCase().split(/\s+/).filter(Boolean);
  for (const box of root.children) {
    let any = false;
    for (const row of box.querySelectorAll(".figure")) {
      const fits = asked.every((word) => row.dataset.words.includes(word));
      row.hidden = !fits;
      row.style.display = fits ? "" : "none";
      any = any || fits;
    }
    box.hidden = !any;
    if (asked.length && any) {
      box.open = true;
      box.querySelectorAll("details").forEach((each) => { each.open = [...each.querySelectorAll(".figure")].some((row) => !row.hidden); });
    }
  }
}

export function reveal(name) {
  const box = document.getElementById(idOf(name));
  if (!box) return;
  box.open = true;
  box.scrollIntoView({ block: "start" });
  const first = box.querySelector("input, select");
  if (first) first.focus();
}

export function differences(one, other) {
  // paths at which two models differ, with both values; parts by their names
  const found = [];
  walk(one, other, []);
  return found;

  function walk(a, b, path) {
    if (JSON.stringify(a) === JSON.stringify(b) || found.length > 40) return;
    if (a && b && typeof a === "object" && typeof b === "object") {
      const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
      for (const key of keys) {
        const inner = a[key] || b[key];
        walk(a[key], b[key], [...path, inner && inner.name ? inner.name : Array.isArray(a) ? String(Number(key) + 1) : key]);
      }
      return;
    }
    found.push({ path: path.slice(1).join(" "), one: a, other: b });
  }
}
