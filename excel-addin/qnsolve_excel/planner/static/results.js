// What a study says: verdict, curve by date, centers, times, figures.

import { at, made, seconds, shortNumber, table } from "./dom.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#7f3c8d", "#8a6d00", "#555555"];
const DASHES = ["solid", "dashed", "dotted", [8, 3, 2, 3], [12, 4], [2, 2]];
const MARKS = ["circle", "rect", "triangle", "diamond", "pin", "arrow"];
const INK = "#1a1a1a", SOFT = "#5a5a5a", LINE = "#d4d4d4";
const WIDE_RANGE = 25; // times between the longest and the shortest response from which on the axis is logarithmic

/* What stands after a name of a center: as qnsolve.results.sentences has it. */
export function be(name) {
  return /(CPs|zIIPs|threads|regions)$/.test(name) ? "are" : "is";
}

export function holds(result) {
  const { verdict } = result;
  return verdict.kind === "none" ? "yes" : verdict.beyond ? "later" : "no";
}

export function verdictWords(result) {
  if (result.sentences) return result.sentences[0];
  const { verdict, asked } = result;
  const cause = verdict.work ? `${verdict.work} misses its target` : `${verdict.center} ${be(verdict.center)} full`;
  if (verdict.kind === "none") return `Holds until ${asked.until} and beyond.`;
  if (!verdict.holds_until) return `Does not hold today: ${cause}.`;
  if (verdict.beyond && verdict.holds_until === asked.until) return `Holds until ${asked.until}, the end that was asked for; then ${cause}.`;
  if (verdict.beyond) return `Holds until ${verdict.holds_until}, beyond ${asked.until} that was asked for; then ${cause}.`;
  return `Holds until ${verdict.holds_until}; then ${cause}.`;
}

export function drawVerdict(result) {
  const place = at("verdict");
  const sentence = verdictWords(result), cut = sentence.search(/ \(|;|:|, /);
  const [begin, rest] = cut > 0 ? [sentence.slice(0, cut), sentence.slice(cut)] : [sentence, ""];
  place.replaceChildren(made("b", {}, begin), rest);
  place.dataset.holds = holds(result);
  place.dataset.sure = result.preliminary ? "no" : "yes";
  at("lights").replaceChildren(...result.periods.map((period) => made("li", { "data-holds": period.holds ? "yes" : "no", title: period.reason || "holds" }, `${period.name} ${period.holds ? "✓" : "✕"}`)));
  const first = result.periods[0];
  const words = [];
  if (result.headroom) words.push(`Headroom: ${shortNumber(result.headroom)} times the load of ${first.name}.`);
  words.push(`Today ${first.fullest} ${be(first.fullest)} ${shortNumber(first.used_percent)} % used.`);
  at("headroom").textContent = words.join(" ");
}

export function drawRest(result) {
  // what the first estimate does not have
  at("sentences").replaceChildren(...(result.sentences || []).slice(1).map((each) => made("li", {}, each)));
  window.qnsolveStudy.charts.split(at("split"), result);
  const names = result.periods[0].work.map((work) => work.name);
  const lpars = Object.keys(result.periods[0].cpu_percent || {});
  at("figures").replaceChildren(table(
    ["period", ...names, ...lpars.map((name) => `${name} CPU`), "fullest", "used", "holds"],
    result.periods.map((period) => [
      period.day || period.name,
      ...period.work.map((work) => seconds(work.response_time)),
      ...lpars.map((name) => (period.cpu_percent[name] === undefined ? "–" : `${shortNumber(period.cpu_percent[name])} %`)),
      period.fullest, `${shortNumber(period.used_percent)} %`, period.holds ? "yes" : `no: ${period.reason}`,
    ]),
    [0, names.length + lpars.length + 1, names.length + lpars.length + 3],
  ));
}

const drawn = new WeakMap();

function chartOf(element, height) {
  element.style.height = `${height}px`;
  let chart = drawn.get(element);
  if (!chart) {
    chart = window.echarts.init(element, null, { renderer: "svg" });
    drawn.set(element, chart);
    new ResizeObserver(() => chart.resize()).observe(element);
  }
  return chart;
}

// `lines`: name, result, and the work that is shown or all; the first line's periods are the axis
export function drawCurve(element, lines) {
  const axis = longest(lines);
  const series = [];
  for (const { name, result, work, faint } of lines) {
    result.periods[0].work.forEach((each, place) => {
      if (work !== undefined && each.name !== work) return;
      const at = new Map(result.periods.map((period) => [period.name, period]));
      const data = axis.map((label) => {
        const period = at.get(label);
        return period && period.solved ? period.work[place].response_time : null;
      });
      const style = work !== undefined ? series.length : place;
      const colour = faint ? "#8a8a8a" : COLOURS[style % COLOURS.length];
      series.push({
        name: work !== undefined ? name : faint ? `${each.name}, ${name}` : each.name,
        data, holds: axis.map((label) => at.has(label) && at.get(label).holds), of: each.name, target: faint || (work !== undefined && series.length) ? null : each.target, colour, faint, style,
      });
    });
  }
  const estimate = lines[0].result.preliminary;
  const apart = lines.every((line) => line.work === undefined); // a panel for each work: their times differ too much for one axis
  const names = apart ? [...new Set(series.map((each) => each.of))] : [""];
  const wide = element.clientWidth || 600, columns = names.length > 1 && wide >= 640 ? 2 : 1;
  const rows = Math.ceil(names.length / columns), tall = names.length > 1 ? 200 : wide < 520 ? 300 : 340, above = names.length > 1 ? 30 : 62;
  const panels = names.map((name, place) => panel(name, series.filter((each) => !name || each.of === name), place, columns, tall, wide));
  const chart = chartOf(element, tall * rows);
  chart.setOption({
    animation: false,
    textStyle: { color: INK, fontFamily: "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif" },
    legend: { show: names.length === 1, top: 0, left: 0, type: "scroll", itemWidth: 34, textStyle: { color: INK } },
    title: panels.map((each) => each.title),
    grid: panels.map((each) => ({ ...each.grid, top: each.grid.top + above, height: tall - above - 30 })),
    tooltip: { trigger: "axis", confine: true, valueFormatter: (value) => (value === null || value === undefined ? "a center is full" : shortNumber(value)) },
    xAxis: panels.map((each, place) => ({ type: "category", gridIndex: place, data: axis, axisLabel: { color: SOFT, hideOverlap: true }, axisLine: { lineStyle: { color: SOFT } } })),
    yAxis: panels.map((each, place) => ({ ...each.scale, gridIndex: place })),
    series: series.map(({ name, of, data, target, colour, faint, style }) => {
      const place = Math.max(names.indexOf(of), 0), size = panels[place].size;
      return {
        name, type: "line", xAxisIndex: place, yAxisIndex: place, color: colour, symbol: MARKS[style % MARKS.length], symbolSize: faint ? 5 : 8, connectNulls: false,
        data: data.map((value) => (value === null ? null : value / size)),
        lineStyle: { type: faint ? [3, 3] : DASHES[style % DASHES.length], width: faint ? 1.5 : 2.5, opacity: estimate && !faint ? 0.7 : 1 },
        markLine: target ? {
          silent: true, symbol: "none", data: [{ yAxis: target / size }], lineStyle: { color: colour, type: [6, 4], width: 1.5 },
          label: { formatter: `target of ${of} ${seconds(target)}`, position: "insideStartTop", color: INK, fontSize: 11 },
        } : { data: [] },
      };
    }),
    aria: { enabled: true, label: { enabled: false } },
  }, { replaceMerge: ["series", "grid", "xAxis", "yAxis", "title"], notMerge: false });
  const spoken = series.map((each) => `${each.name}: ${seconds(each.data.find((value) => value !== null))} to ${seconds(each.data.findLast((value) => value !== null))}`);
  element.setAttribute("aria-label", `Response time by date. ${spoken.join(". ")}.`);
  return chart;
}

// the place, the title and the scale of one panel
function panel(name, series, place, columns, tall, wide) {
  const targets = series.map((each) => each.target || 0);
  const limit = Math.max(...series.map((each) => (each.target ? window.qnsolveStudy.shownTo(each.data, each.target, each.holds) : 0))) || Infinity;
  const values = [...series.flatMap((each) => each.data).filter((value) => value), ...targets.filter(Boolean)];
  const most = Math.min(Math.max(...values, 1e-9), limit), least = Math.min(...values, most);
  const [size, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]].find(([one]) => most >= one) || [1e-6, "µs"];
  const log = most / least > WIDE_RANGE;
  const width = wide / columns, left = (place % columns) * width;
  const share = (pixels) => `${(100 * pixels) / wide}%`; // it follows the width of the window
  const heading = `${name ? `${name}: ` : ""}response time [${unit}]${log ? ", logarithmic" : ""}`;
  return {
    size,
    title: { text: name ? heading : "", left: share(left + 8), top: Math.floor(place / columns) * tall, textStyle: { fontSize: 13, fontWeight: 600, color: INK } },
    grid: { left: share(left + 46), width: share(width - 46 - 18), top: Math.floor(place / columns) * tall },
    scale: {
      type: log ? "log" : "value", name: name ? "" : heading, nameTextStyle: { align: "left", color: SOFT },
      max: log ? undefined : top(most / size), min: log ? 10 ** Math.floor(Math.log10(least / size)) : 0,
      axisLabel: { color: SOFT, formatter: (value) => shortNumber(value) }, splitLine: { lineStyle: { color: LINE } },
    },
  };
}

function top(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 12].map((step) => step * power).find((step) => step >= 1.07 * value);
}

function longest(lines) {
  const found = lines.map((line) => line.result.periods.map((period) => period.name)).sort((a, b) => b.length - a.length)[0];
  return found;
}

export function lastOf(result) {
  // the last period that has an operating point
  return result.periods.findLast((period) => period.solved) || result.periods[0];
}
