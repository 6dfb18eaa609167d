// The page: what was opened, what was changed, and the answer to it.

import { at, made } from "./dom.js";
import { ask, bytesOf, save, ServerError } from "./server.js";
import { changedAt, Store, valueAt } from "./store.js";
import { drawTree, find, mark, refresh, reveal, shapeOf } from "./tree.js";
import { drawQuestion } from "./question.js";
import { ofModel, Refusals } from "./refusals.js";
import { drawCurve, drawRest, drawVerdict } from "./results.js";
import { comparePanel } from "./compare.js";
import { helpsPanel } from "./helps.js";
import { measurePanel } from "./measure.js";
import { textPanel } from "./text.js";

const store = new Store();
const refusals = new Refusals();
const results = new Map(); // answers by model and question
const KEPT = 60;
const TABS = ["plan", "helps", "compare", "measure", "text", "functions"];
let tab = "plan";
let turn = 0;
let greying = 0;
let shown = null; // the answer that is drawn
const ALL = ["verdict", "lights", "headroom", "curve", "heat", "split", "sentences", "figures", "drawing"];
const SHORTLY = 250; // ms that an old answer stays as it is: most first answers come sooner

export const keyOf = (scenario) => JSON.stringify([scenario.model, scenario.question]);

const page = {
  store, results, keyOf, problem, open,
  answer: (scenario) => results.get(keyOf(scenario)),
  remember,
  setQuestion: (question) => { refusals.elsewhere(); store.change("question", question, `question ${Date.now()}`); },
  setModel: (model) => { refusals.elsewhere(); store.change("model", model, `model ${Date.now()}`); },
  show: (name) => choose(name),
};
const panels = { helps: helpsPanel(page), compare: comparePanel(page), measure: measurePanel(page), text: textPanel(page) };

// ---------------------------------------------------------------- the answer
async function calculate() {
  const mine = ++turn, { scenario } = store, key = keyOf(scenario), begin = performance.now();
  const kept = results.get(key);
  document.body.dataset.asked = String(turn);
  if (kept) return show(kept, "", begin);
  clearTimeout(greying);
  greying = setTimeout(grey, SHORTLY);
  try {
    const given = { model: scenario.model, question: scenario.question };
    const first = await ask("quick", given);
    if (mine !== turn || !first) return;
    show(first, "first estimate from two loads; calculating the rest …", begin);
    const whole = await ask("study", given);
    if (mine !== turn || !whole) return;
    remember(key, whole);
    show(whole, "", begin);
  } catch (fault) {
    if (mine !== turn) return;
    if (ofModel(fault.item || "")) store.refused();
    refused(fault);
  }
}

// what is not of the model as it is now
function grey() {
  busy("calculating …");
  for (const name of ALL) at(name).classList.add("old");
}

function fresh(names) {
  for (const name of ALL) at(name).classList.toggle("old", !names.includes(name) && at(name).dataset.of !== String(turn));
  for (const name of names) at(name).dataset.of = String(turn);
}

function remember(key, result) {
  results.set(key, result);
  if (results.size > KEPT) results.delete(results.keys().next().value);
}

function show(result, state, begin) {
  problem("");
  refusals.accepted();
  store.accepted();
  drawVerdict(result);
  drawLines(result);
  clearTimeout(greying);
  fresh(["verdict", "lights", "headroom", "curve"]);
  const curve = result.preliminary ? "first" : "whole";
  document.body.dataset[curve] = String(turn);
  performance.measure(`${curve} ${turn}`, { start: begin, end: performance.now() });
  const mine = turn;
  requestAnimationFrame(() => setTimeout(() => { // once the curve is painted
    if (mine !== turn) return;
    drawHeat(result);
    fresh(["heat"]);
    if (!result.preliminary) {
      drawRest(result);
      window.qnsolveStudy.charts.model(at("drawing"), result, { onSelect: (kind, name) => reveal(name) });
      fresh(["split", "sentences", "figures", "drawing"]);
      if (panels[tab]) panels[tab].draw();
      document.body.dataset.drawn = String(mine);
    }
  }));
  busy(state);
}

function drawLines(result) {
  const lines = [{ name: store.scenario.name, result }];
  const base = store.current ? results.get(keyOf(store.scenarios[0])) : null;
  if (base) lines.push({ name: store.scenarios[0].name, result: base, faint: true });
  drawCurve(at("curve"), lines);
}

function drawHeat(result) {
  shown = result;
  if (at("heat").clientWidth) window.qnsolveStudy.charts.heat(at("heat"), result, { most: 14 });
}

function busy(text) {
  at("state").textContent = text;
  at("state").dataset.busy = text ? "yes" : "no";
}

function refused(fault) {
  busy("");
  clearTimeout(greying);
  if (!(fault instanceof ServerError)) throw fault;
  if (store.scenarios.length) ALL.forEach((name) => at(name).classList.add("old"));
  document.body.dataset.refused = String(turn);
  if (!refusals.written(fault)) problem(fault.message);
}

function problem(text) {
  at("problem").hidden = !text;
  at("problem").textContent = text;
}

// ---------------------------------------------------------------- the model
async function describe() {
  const { scenario } = store;
  at("tree").inert = !refresh(store); // its fields are of other parts
  const found = await ask("describe", { model: scenario.model, together: !at("single").checked });
  if (!found) return;
  if (shapeOf(scenario.model) !== shapeOf(store.scenario.model)) return describe(); // opened meanwhile
  at("tree").inert = false;
  const focus = document.activeElement && document.activeElement.id;
  drawTree(at("tree"), found.tree, store, changed);
  const base = store.scenarios[0].model;
  if (store.current) mark(base, scenario.model);
  if (at("find").value) find(at("tree"), at("find").value);
  if (focus && at(focus) && document.activeElement === document.body) at(focus).focus();
  if (!at("drawing").children.length) window.qnsolveStudy.charts.model(at("drawing"), { drawing: found.drawing, centers: [] }, { onSelect: (kind, name) => reveal(name) });
}

function asking() {
  drawQuestion(at("question"), store, (question, input) => {
    refusals.touched(input);
    store.change("question", question, `question ${input.name}`);
  });
}

function changed(paths, value, field) {
  refusals.touched(field);
  const before = store.scenario.model;
  if (paths.every((path) => JSON.stringify(valueAt(before, path)) === JSON.stringify(value))) return;
  store.change("model", paths.reduce((model, path) => changedAt(model, path, value), before), JSON.stringify(paths));
}

store.onChange((about) => {
  const computed = about.part === "model" || about.part === "question";
  if (computed) calculate(); // what the server does meanwhile takes longer than all below
  head();
  if (about.part === "cost" || about.part === "name") {
    setTimeout(() => panels[tab] && panels[tab].draw(), 0); // once Tab has moved on
    return;
  }
  at("welcome").hidden = store.scenarios.length > 0;
  if (!store.scenarios.length) return;
  if (about.opened) {
    refusals.elsewhere();
    asking();
    if (!refresh(store)) describe().catch(refused);
  } else if (about.part === "question" && !refusals.edited) {
    asking();
  } else if (about.part === "model" && !refusals.edited && !refresh(store)) {
    describe().catch(refused);
  }
  if (store.current) mark(store.scenarios[0].model, store.scenario.model);
  if (about.opened || tab !== "plan") choose(tab);
  if (!computed) calculate();
});

function head() {
  at("undo").disabled = !store.past.length;
  at("redo").disabled = !store.future.length;
  const some = store.scenarios.length > 0;
  for (const name of ["keep", "scenario", "export"]) at(name).disabled = !some;
  at("scenario").replaceChildren(...store.scenarios.map((each, place) => made("option", { value: String(place), selected: place === store.current }, each.name)));
  at("scenario").hidden = store.scenarios.length < 2;
  at("title").textContent = some ? store.scenario.model.name || store.scenario.name : "planner";
}

async function open(work) {
  problem("");
  try {
    const found = await work;
    if (found) store.open(found);
  } catch (fault) {
    refusals.elsewhere();
    refused(fault);
  }
}

// ---------------------------------------------------------------- tabs
function choose(name) {
  tab = name;
  for (const each of TABS) {
    const button = at(`tab-${each}`), on = each === name;
    button.setAttribute("aria-selected", String(on));
    button.tabIndex = on ? 0 : -1;
    at(each).hidden = !on || (each !== "functions" && !store.scenarios.length);
  }
  at("welcome").hidden = store.scenarios.length > 0 || name === "functions";
  if (name === "functions" && !at("functions").children.length) at("functions").append(made("iframe", { src: "functions/", title: "Worksheet functions, to try them" }));
  if (panels[name] && store.scenarios.length) panels[name].draw();
}

at("tab-plan").parentElement.addEventListener("keydown", (event) => {
  const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!way) return;
  const next = TABS[(TABS.indexOf(tab) + way + TABS.length) % TABS.length];
  choose(next);
  at(`tab-${next}`).focus();
});
for (const each of TABS) at(`tab-${each}`).addEventListener("click", () => choose(each));

// ---------------------------------------------------------------- tools
at("file").addEventListener("change", async () => {
  const [file] = at("file").files;
  if (file) await open(file.text().then((text) => ask("open", { text, name: file.name })));
  at("file").value = "";
});
at("template").addEventListener("change", async () => {
  const name = at("template").value;
  at("template").value = "";
  if (name) await open(ask("template", { template: name }));
});
at("undo").addEventListener("click", () => store.undo());
at("redo").addEventListener("click", () => store.redo());
at("keep").addEventListener("click", () => {
  const used = new Set(store.scenarios.map((each) => each.name));
  const name = [..."BCDEFGHIJKLMNOPQRSTUVWXYZ"].map((letter) => `Scenario ${letter}`).find((each) => !used.has(each)) || `Scenario ${store.scenarios.length + 1}`;
  store.keep(name);
  at("said").textContent = `${name} is a copy; changes go there`;
});
at("scenario").addEventListener("change", () => store.choose(Number(at("scenario").value)));
at("export").addEventListener("change", async () => {
  const kind = at("export").value;
  at("export").value = "";
  if (!kind) return;
  const name = (store.scenario.model.name || store.scenario.name || "system").replace(/[^A-Za-z0-9_-]+/g, "-");
  if (kind === "share") return save(`${name}.scenarios.json`, "application/json", store.shared());
  busy("writing …");
  try {
    const found = await ask("export", { kind, model: store.scenario.model, question: store.scenario.question, name });
    if (found) save(found.name, found.type, bytesOf(found.content));
    busy("");
  } catch (fault) {
    refusals.elsewhere();
    refused(fault);
  }
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.tagName === "TEXTAREA") return;
  if (event.target.dataset && "taken" in event.target.dataset && event.target.dataset.taken !== event.target.value) return; // what is being typed
  const key = event.key.toLowerCase();
  if (key === "z" && !event.shiftKey) { event.preventDefault(); store.undo(); }
  if (key === "y" || (key === "z" && event.shiftKey)) { event.preventDefault(); store.redo(); }
});
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file && tab !== "measure") open(file.text().then((text) => ask("open", { text, name: file.name })));
});
let resizing = 0;
window.addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(() => { // panels stand side by side where there is room
    if (!shown) return;
    drawLines(shown);
    drawHeat(shown);
  }, 200);
});
at("find").addEventListener("input", () => find(at("tree"), at("find").value));
at("single").addEventListener("change", () => describe().catch(refused));
at("tree").addEventListener("submit", (event) => event.preventDefault());
window.addEventListener("pagehide", () => store.writeNow());

// ---------------------------------------------------------------- begin
const begin = await ask("start");
for (const { name, title } of begin.templates) {
  at("template").append(made("option", { value: name }, title));
  const [short, rest] = title.split(": ");
  const button = made("button", { type: "button", "data-template": name }, made("b", {}, short), rest);
  button.addEventListener("click", () => open(ask("template", { template: name })));
  at("starts").append(button);
}
at("welcome").hidden = store.begin(begin.begin);
head();
document.body.dataset.ready = "yes";
