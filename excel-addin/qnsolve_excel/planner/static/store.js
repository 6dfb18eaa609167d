// The work of a planner: scenarios, each a model and a question; every change can be undone; a reload keeps it all.

const KEY = "qnsolve-planner";
const MOST = 200; // changes that can be undone
const SOON = 1200; // ms within which changes of one figure are one change

export class Store {
  constructor() {
    this.scenarios = [];
    this.current = 0;
    this.past = [];
    this.future = [];
    this.listeners = [];
    this.last = { what: "", when: 0 };
    this.sound = { place: -1, model: null }; // the model that had an answer last
    this.unsound = null; // one that was refused after it
  }

  get scenario() { return this.scenarios[this.current]; }

  onChange(listener) { this.listeners.push(listener); }

  open(found) {
    this.remember("open");
    this.scenarios = found.scenarios.map((each) => ({ cost: "", ...each, question: each.question || {} }));
    this.current = found.current || 0;
    this.tell({ opened: true });
  }

  // a new model or question of the current scenario; `what` names the figure
  change(part, value, what) {
    const now = Date.now();
    if (what !== this.last.what || now - this.last.when > SOON) this.remember(what);
    this.last = { what, when: now };
    this.scenarios = this.scenarios.map((each, place) => (place === this.current ? { ...each, [part]: value } : each));
    this.tell({ part, what });
  }

  keep(name) {
    this.remember("keep");
    this.scenarios = [...this.scenarios, { ...this.scenario, name }];
    this.current = this.scenarios.length - 1;
    this.tell({ opened: true });
  }

  remove(place) {
    if (this.scenarios.length < 2) return;
    this.remember("remove");
    this.scenarios = this.scenarios.filter((_, at) => at !== place);
    if (this.current >= this.scenarios.length || this.current > place) this.current -= 1;
    this.tell({ opened: true });
  }

  note(place, key, value) {
    this.remember(`${key} ${place}`);
    this.scenarios = this.scenarios.map((each, at) => (at === place ? { ...each, [key]: value } : each));
    this.tell({ part: key });
  }

  choose(place) {
    this.current = place;
    this.last = { what: "", when: 0 };
    this.tell({ opened: true });
  }

  undo() { this.step(this.past, this.future); }

  redo() { this.step(this.future, this.past); }

  step(from, to) {
    if (!from.length) return;
    to.push({ scenarios: this.scenarios, current: this.current });
    Object.assign(this, from.pop());
    this.last = { what: "", when: 0 };
    this.tell({ opened: true });
  }

  remember(what) {
    if (this.scenarios.length) this.past.push({ scenarios: this.scenarios, current: this.current });
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
    this.last = { what, when: 0 };
  }

  accepted() {
    this.sound = { place: this.current, model: this.scenario.model };
    this.unsound = null;
  }

  refused() {
    this.unsound = this.scenario.model;
    this.write();
  }

  // what is written for later: a figure that was refused could not be opened again
  get lasting() {
    const { place, model } = this.sound;
    return this.scenarios.map((each, at) => (at === place && each.model === this.unsound ? { ...each, model } : each));
  }

  tell(about) {
    this.write();
    for (const listener of this.listeners) listener(about);
  }

  write() {
    clearTimeout(this.writing);
    this.writing = setTimeout(() => this.writeNow(), 250);
  }

  writeNow() {
    clearTimeout(this.writing);
    try {
      localStorage.setItem(KEY, JSON.stringify({ scenarios: this.lasting, current: this.current }));
    } catch (fault) { /* a browser without room keeps nothing; the share file does */ }
  }

  // whether there is something to begin with: the work of this window, or a file that it has not opened yet
  begin(found) {
    const kept = this.kept(), file = JSON.stringify(found);
    let seen = null;
    try {
      seen = sessionStorage.getItem("qnsolve-file");
      sessionStorage.setItem("qnsolve-file", file);
    } catch (fault) { /* without storage a reload begins with the file */ }
    const again = kept && !(found && seen !== file);
    if (again || found) this.open(again ? kept : found);
    if (again) this.past = [];
    return Boolean(again || found);
  }

  kept() {
    try {
      const found = JSON.parse(localStorage.getItem(KEY) || "null");
      return found && Array.isArray(found.scenarios) && found.scenarios.length ? found : null;
    } catch (fault) {
      return null;
    }
  }

  shared() {
    const scenarios = this.lasting.map(({ name, model, question, cost }) => ({ name, model, question, ...(cost ? { cost } : {}) }));
    return JSON.stringify({ qnsolve_scenarios: 1, current: this.current, scenarios }, null, 1) + "\n";
  }
}

export function valueAt(model, path) {
  return path.reduce((inside, key) => (inside === undefined || inside === null ? undefined : inside[key]), model);
}

// a copy of the model with one value changed, or taken out where it is undefined
export function changedAt(model, path, value) {
  const [key, ...rest] = path;
  const copy = Array.isArray(model) ? model.slice() : { ...model };
  if (rest.length) copy[key] = changedAt(model[key] === undefined ? {} : model[key], rest, value);
  else if (value === undefined) delete copy[key];
  else copy[key] = value;
  return copy;
}
