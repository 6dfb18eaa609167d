// Elements, numbers and times as the page writes them.

export function made(kind, attributes = {}, ...inside) {
  const found = document.createElement(kind);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === undefined || value === null) continue;
    found.setAttribute(key, value === true ? "" : value);
  }
  found.append(...inside.filter((each) => each !== null && each !== undefined));
  return found;
}

export const at = (id) => document.getElementById(id);

export function written(value) {
  // a figure as it is typed: up to 10 digits, none of them for show
  if (value === null || value === undefined) return "";
  return String(Number(Number(value).toPrecision(10)));
}

export function typed(text) {
  // a number as people write it, with a point or a comma; undefined where it is none
  const plain = text.trim().replace(/\s/g, "").replace(/^(-?\d*),(\d+)$/, "$1.$2");
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain) ? Number(plain) : undefined;
}

export function shortNumber(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(digits)));
}

export function seconds(value) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const [size, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]].find(([one]) => Math.abs(value) >= one) || [1e-6, "µs"];
  return `${shortNumber(value / size)} ${unit}`;
}

export function table(heads, rows, words = [0]) {
  // rows of texts or elements; the columns in `words` are set to the left
  const name = (column) => (words.includes(column) ? "words" : "");
  const cell = (kind, value, column) => made(kind, { class: name(column), ...(kind === "th" ? { scope: "col" } : {}) }, value);
  const head = made("tr", {}, ...heads.map((each, column) => cell("th", each, column)));
  const body = rows.map((row) => made("tr", {}, ...row.map((each, column) => cell("td", each, column))));
  return made("table", {}, made("thead", {}, head), made("tbody", {}, ...body));
}
