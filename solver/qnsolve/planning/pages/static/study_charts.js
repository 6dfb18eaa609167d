// Draws a study: window.qnsolveStudy.draw(root, study) fills every element of root that has data-chart.
// Needs echarts. Each function also stands alone: qnsolveStudy.charts.responses(element, study).
"use strict";
(function () {
  // colours of Okabe and Ito; lines differ in their dashes and marks as well
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#7f3c8d", "#8a6d00", "#555555"];
  const DASHES = ["solid", "dashed", "dotted", [8, 3, 2, 3], [12, 4], [2, 2]];
  const MARKS = ["circle", "rect", "triangle", "diamond", "pin", "arrow"];
  const INK = "#1a1a1a", SOFT = "#5a5a5a", LINE = "#d4d4d4", ALARM = "#a61b1b";
  const FONT = "system-ui, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif";
  const BUSY = 70, FULL = 90;
  const still = window.matchMedia && window.matchMedia("(prefers-reduced-motion: reduce)").matches;

  function seconds(value, digits) {
    if (value === null || value === undefined || !isFinite(value)) return "–";
    const units = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]];
    const found = units.find(([size]) => Math.abs(value) >= size) || units[2];
    return `${number(value / found[0], digits || 3)} ${found[1]}`;
  }

  function number(value, digits) {
    if (value === null || value === undefined || !isFinite(value)) return "–";
    if (value === 0) return "0";
    const shown = Number(value.toPrecision(digits || 3));
    return Math.abs(shown) >= 1e6 ? shown.toExponential(2) : String(shown);
  }

  function percent(value) {
    if (value === null || value === undefined) return "–";
    return value >= 999.5 ? ">999" : value >= 99.5 ? String(Math.round(value)) : number(value, value < 1 ? 1 : 2);
  }

  const charts = new Map(); // element -> chart
  function chart(element, option, height) {
    element.style.height = `${height}px`;
    let drawn = charts.get(element);
    if (!drawn || drawn.isDisposed()) {
      element.textContent = "";
      drawn = window.echarts.init(element, null, { renderer: "svg" });
      charts.set(element, drawn);
      drawn.on("finished", () => scalable(element)); // print has another width than the screen
      if (window.ResizeObserver) new ResizeObserver(() => drawn.isDisposed() || drawn.resize()).observe(element);
    }
    drawn.resize();
    drawn.setOption({ animation: false, textStyle: { fontFamily: FONT, color: INK }, ...option }, { notMerge: true });
    return drawn;
  }

  function instead(element, words) {
    const drawn = charts.get(element);
    if (drawn && !drawn.isDisposed()) drawn.dispose();
    charts.delete(element);
    element.style.height = "auto";
    element.textContent = words;
  }

  function scalable(element) {
    const svg = element.querySelector("svg");
    if (svg) svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
  }

  function endOf(study) {
    // the place on the axis of periods where it no longer holds; -1 where it does to the end
    return study.periods.findIndex((period) => !period.holds);
  }

  // Up to where an axis of response times goes: what lies far above the target would press the rest to the ground.
  function shownTo(values, target, holds) {
    if (!target) return Infinity;
    return Math.max(2.5 * target, ...values.filter((value, place) => value !== null && (holds[place] || place === 0)));
  }

  function counted(count, word) {
    return `${number(count, 3)} ${word}${count === 1 ? "" : "s"}`;
  }

  // ---------------------------------------------------------------- response times by date
  function responses(element, study, options) {
    const chosen = (options && options.work) || null;
    const names = study.periods[0].work.map((work) => work.name).filter((name) => !chosen || chosen.includes(name));
    charts.forEach((drawn, frame) => { if (element.contains(frame)) { drawn.dispose(); charts.delete(frame); } });
    element.replaceChildren();
    element.classList.add("responses");
    names.forEach((name, place) => {
      const frame = document.createElement("div");
      frame.className = "response";
      element.append(frame);
      oneResponse(frame, study, name, place);
    });
  }

  function oneResponse(element, study, name, place) {
    const at = study.periods.map((period) => period.work.find((work) => work.name === name));
    const labels = study.periods.map((period) => period.name);
    const known = at.map((work) => work.response_time).filter((value) => value !== null);
    const target = at[0].target;
    const limit = shownTo(at.map((work) => work.response_time), target, study.periods.map((period) => period.holds));
    const most = Math.min(Math.max(...known, target || 0), limit);
    const [size, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"]].find(([one]) => most >= one) || [1e-6, "µs"];
    const scaled = (value) => (value === null ? null : value / size);
    const low = at.map((work) => (work.response_time === null ? null : scaled(work.response_time * (1 - (work.response_error || 0)))));
    const high = at.map((work) => (work.response_time === null ? null : scaled(work.response_time * (1 + (work.response_error || 0)))));
    const colour = COLOURS[place % COLOURS.length];
    const end = endOf(study);
    const missing = study.periods.map((period, i) => (period.solved ? null : i)).filter((i) => i !== null);
    const top = Math.min(Math.max(...high.filter((value) => value !== null), target ? (target / size) * 1.15 : 0, 0), limit / size) * 1.05;
    const simulated = at.map((work, i) => (work.simulated ? [i, scaled(work.simulated.response_time)] : null)).filter(Boolean);
    const lines = [];
    if (target) lines.push({ yAxis: target / size, lineStyle: { color: INK, type: "dashed", width: 1.5 }, label: { formatter: `target ${seconds(target)}`, position: "insideStartTop", color: INK } });
    const blocked = study.periods.map((period, i) => (period.solved ? null : { value: niceTop(top || 1), label: { show: i === missing[0] } }));
    chart(element, {
      title: { text: name, textStyle: { fontSize: 14, fontWeight: 600, color: INK }, left: 0, top: 0 },
      grid: { left: 8, right: 16, top: 46, bottom: 8, containLabel: true },
      tooltip: { trigger: "axis", confine: true, formatter: (items) => tip(study, items[0].dataIndex, name) },
      xAxis: { type: "category", data: labels, boundaryGap: true, axisLabel: { color: SOFT, hideOverlap: true }, axisTick: { alignWithLabel: true }, axisLine: { lineStyle: { color: SOFT } } },
      yAxis: { type: "value", name: `response time [${unit}]`, nameLocation: "end", nameTextStyle: { align: "left", color: SOFT }, min: 0, max: top > 0 ? niceTop(top) : 1, axisLabel: { color: SOFT }, splitLine: { lineStyle: { color: LINE } } },
      series: [
        { name: "lowest", type: "line", data: low, stack: "band", symbol: "none", lineStyle: { opacity: 0 }, silent: true },
        { name: "error of the method", type: "line", data: high.map((value, i) => (value === null ? null : value - low[i])), stack: "band", symbol: "none", lineStyle: { opacity: 0 }, areaStyle: { color: colour, opacity: 0.18 }, silent: true },
        {
          name: "modelled", type: "line", data: at.map((work, i) => ({ value: scaled(work.response_time), symbol: study.periods[i].holds ? MARKS[place % MARKS.length] : "emptyCircle" })),
          symbolSize: 7, color: colour, lineStyle: { type: DASHES[place % DASHES.length], width: 2 },
          markLine: { silent: true, symbol: "none", data: lines },
        },
        {
          name: "a center is full", type: "bar", data: blocked, barWidth: "100%", barGap: "-100%", color: "#ebebeb", silent: true, z: 0,
          label: { position: missing.length > 2 ? "insideTopLeft" : "insideBottom", rotate: missing.length > 2 ? 0 : 90, align: missing.length > 2 ? "left" : "left", verticalAlign: "middle", distance: 8, formatter: "a center is full", color: SOFT, fontSize: 11 },
        },
        { name: "simulated", type: "scatter", data: simulated, symbol: "diamond", symbolSize: 12, color: "#ffffff", itemStyle: { borderColor: INK, borderWidth: 2 }, z: 5 },
      ],
      aria: { enabled: true, label: { description: spoken(study, name, at, end) } },
    }, 220);
  }

  function niceTop(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((step) => step * power).find((step) => step >= value) || 10 * power;
  }

  function spoken(study, name, at, end) {
    const said = at.filter((work) => work.response_time !== null);
    if (!said.length) return `${name}: no response time`;
    const last = said[said.length - 1];
    return `${name}: response time ${seconds(said[0].response_time)} in ${study.periods[0].name}, ${seconds(last.response_time)} at the last load that has one. ` + (end < 0 ? "Holds to the end." : `Does not hold in ${study.periods[end].name}.`);
  }

  function tip(study, place, name) {
    const period = study.periods[place], work = period.work.find((each) => each.name === name);
    const lines = [`<b>${escaped(period.name)}</b> ${period.day ? escaped(period.day) : ""}`];
    lines.push(`load ${number(work.load, 4)}`);
    lines.push(work.response_time === null ? escaped(period.reason) : `${seconds(work.response_time)} ± ${number(100 * (work.response_error || 0), 2)} %`);
    if (work.simulated) lines.push(`simulated ${seconds(work.simulated.response_time)} ± ${seconds(work.simulated.half_width)}`);
    lines.push(`fullest: ${escaped(period.fullest)} ${percent(period.used_percent)} %`);
    return lines.join("<br>");
  }

  function escaped(text) {
    const box = document.createElement("span");
    box.textContent = text;
    return box.innerHTML;
  }

  // ---------------------------------------------------------------- every center by period
  function heat(element, whole, options) {
    const most = (options && options.most) || 24;
    const study = thinned(whole, element.clientWidth || 600);
    const rows = study.centers.slice(0, most).slice().reverse();
    const labels = study.periods.map((period) => period.name);
    const cells = [];
    rows.forEach((row, y) => row.used.forEach((used, x) => cells.push([x, y, used])));
    const wide = element.clientWidth || 600;
    const narrow = wide < 520;
    chart(element, {
      grid: { left: 8, right: 8, top: 8, bottom: 8, containLabel: true },
      tooltip: { confine: true, formatter: (item) => `${escaped(rows[item.value[1]].name)}<br>${labels[item.value[0]]}: ${percent(item.value[2])} %` },
      xAxis: { type: "category", data: labels, axisLabel: { color: SOFT, rotate: narrow ? 60 : 0, interval: 0, fontSize: narrow ? 9 : 11, hideOverlap: !narrow }, axisTick: { show: false }, axisLine: { show: false } },
      yAxis: { type: "category", data: rows.map((row) => row.name), axisLabel: { color: INK, fontSize: narrow ? 9 : 11, width: narrow ? 110 : 210, overflow: "truncate" }, axisTick: { show: false }, axisLine: { show: false } },
      visualMap: { show: false, type: "piecewise", dimension: 2, pieces: [
        { lt: 30, color: "#f7f9fb" }, { gte: 30, lt: 50, color: "#e3edf5" }, { gte: 50, lt: BUSY, color: "#c3d9ea" },
        { gte: BUSY, lt: FULL, color: "#e3a13c" }, { gte: FULL, lt: 100, color: "#b94a10" }, { gte: 100, color: "#6f1010" }] },
      series: [{
        type: "heatmap", data: cells.map((cell) => ({ value: cell, label: { color: cell[2] >= FULL ? "#ffffff" : INK, fontWeight: cell[2] >= FULL ? 700 : 400 } })),
        label: { show: true, fontSize: narrow ? 8 : 11, formatter: (item) => percent(item.value[2]) },
        itemStyle: { borderColor: "#ffffff", borderWidth: 1 }, emphasis: { itemStyle: { borderColor: INK } },
      }],
      aria: { enabled: true, label: { description: "How full each center is by period: " + study.centers.slice(0, 4).map((row) => `${row.name} ${percent(row.used[0])} to ${percent(row.used[row.used.length - 1])} percent`).join(", ") } },
    }, 40 + 24 * rows.length + (narrow ? 40 : 0));
  }

  // Fewer periods where there is no room for all: the first, the last, the first that does not hold, and some between.
  function thinned(study, width) {
    const most = Math.max(Math.floor(width / (width < 520 ? 44 : 50)), 4), count = study.periods.length;
    if (count <= most) return study;
    const step = Math.ceil((count - 1) / (most - 1));
    const keep = new Set([0, count - 1]);
    const bad = endOf(study);
    for (let place = 0; place < count - 1; place += step) keep.add(place);
    if (bad >= 0 && !keep.has(bad)) {
      keep.delete([...keep].filter((place) => place > 0 && place < count - 1).sort((a, b) => Math.abs(a - bad) - Math.abs(b - bad))[0]);
      keep.add(bad);
    }
    const places = [...keep].sort((a, b) => a - b);
    return {
      ...study,
      periods: places.map((place) => study.periods[place]),
      centers: study.centers.map((each) => ({ ...each, used: places.map((place) => each.used[place]) })),
    };
  }

  // ---------------------------------------------------------------- where the time goes
  function split(element, study) {
    if (!study.times.length) return instead(element, "Today's load has no response time: a center is full.");
    const works = [...new Set(study.times.map((time) => time.work))];
    const total = (work, key) => study.times.filter((time) => time.work === work).reduce((sum, time) => sum + time[key], 0);
    const weight = new Map();
    study.times.forEach((time) => weight.set(time.center, (weight.get(time.center) || 0) + time.last / (total(time.work, "last") || 1)));
    const names = [...weight.entries()].sort((a, b) => b[1] - a[1]).map(([name]) => name).filter((name) => name !== "others");
    const shown = names.slice(0, 7);
    const rest = [...names.slice(7), ...(weight.has("others") ? ["others"] : [])];
    const { verdict } = study, until = verdict.kind === "none" ? study.asked.until : verdict.modelled_until || verdict.holds_until;
    const dates = { today: study.periods[0].month, last: until || study.periods[0].month };
    const keys = dates.last > dates.today ? ["today", "last"] : ["today"];
    const bars = works.flatMap((work) => keys.map((key) => `${work}, ${dates[key]}`)).reverse();
    const parts = (bar) => [bar.slice(0, bar.lastIndexOf(", ")), bar.endsWith(dates.today) ? "today" : "last"];
    const value = (bar, list) => {
      const [work, key] = parts(bar);
      const sum = study.times.filter((time) => time.work === work && list.includes(time.center)).reduce((all, time) => all + time[key], 0);
      return total(work, key) ? (100 * sum) / total(work, key) : 0;
    };
    const fills = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999", "#dddddd"];
    const series = [...shown.map((name) => [name, [name]]), ...(rest.length ? [["others", rest]] : [])].map(([name, list], place) => ({
      name, type: "bar", stack: "time", barMaxWidth: 22, color: fills[place % fills.length], itemStyle: { borderColor: "#ffffff", borderWidth: 1 },
      data: bars.map((bar) => value(bar, list)),
      label: { show: true, fontSize: 10, color: ["#0072b2", "#d55e00", "#009e73"].includes(fills[place % fills.length]) ? "#ffffff" : INK, formatter: (item) => (item.value >= 9 ? `${Math.round(item.value)} %` : "") },
    }));
    const narrow = (element.clientWidth || 600) < 520;
    chart(element, {
      legend: { bottom: 0, left: 0, itemWidth: 16, itemHeight: 10, textStyle: { color: INK, fontSize: 11 }, type: narrow ? "scroll" : "plain" },
      grid: { left: 8, right: 24, top: 4, bottom: narrow ? 56 : 30 + 18 * Math.ceil(series.length / 3), containLabel: true },
      tooltip: { trigger: "item", confine: true, formatter: (item) => `${escaped(item.name)}<br>${escaped(item.seriesName)}: ${number(item.value, 3)} %` },
      xAxis: { type: "value", max: 100, name: "% of the response time", nameLocation: "middle", nameGap: 24, axisLabel: { color: SOFT }, splitLine: { lineStyle: { color: LINE } } },
      yAxis: { type: "category", data: bars, axisLabel: { color: INK, fontSize: narrow ? 10 : 12, formatter: (bar) => `${bar}: ${seconds(total(...parts(bar)))}` }, axisTick: { show: false } },
      series,
      aria: { enabled: true, decal: { show: true }, label: { description: "Where the response time goes: " + works.map((work) => `${work}, most at ${study.times.filter((time) => time.work === work).sort((x, y) => y.last - x.last)[0].center}`).join("; ") } },
    }, 70 + 30 * bars.length + (narrow ? 30 : 22 * Math.ceil(series.length / 3)));
  }

  // ---------------------------------------------------------------- what changes give
  function gains(element, study) {
    const rows = study.what_ifs.slice(0, 16).slice().reverse();
    if (!rows.length) { element.hidden = true; return; }
    element.hidden = false;
    const narrow = (element.clientWidth || 600) < 520;
    chart(element, {
      grid: { left: 8, right: 110, top: 4, bottom: 34, containLabel: true },
      tooltip: { confine: true, formatter: (item) => `${escaped(rows[item.dataIndex].name)}<br>${escaped(rows[item.dataIndex].changes.join("; "))}<br>then ${escaped(rows[item.dataIndex].cause || "-")}` },
      xAxis: { type: "value", name: "months gained", nameLocation: "middle", nameGap: 22, minInterval: 1, axisLabel: { color: SOFT }, splitLine: { lineStyle: { color: LINE } } },
      yAxis: { type: "category", data: rows.map((row) => row.name), axisLabel: { color: INK, fontSize: narrow ? 9 : 12, width: narrow ? 110 : 260, overflow: "truncate" }, axisTick: { show: false } },
      series: [{
        type: "bar", barMaxWidth: 18, data: rows.map((row) => ({ value: row.months, itemStyle: { color: row.months < 0 ? ALARM : "#0072b2" } })),
        label: { show: true, position: "right", color: INK, formatter: (item) => `${rows[item.dataIndex].at_least ? "≥ " : ""}${item.value}, until ${rows[item.dataIndex].holds_until || "not today"}` },
      }],
      aria: { enabled: true, label: { description: "Months gained by each change: " + study.what_ifs.map((row) => `${row.name} ${row.months}`).join("; ") } },
    }, 48 + 28 * rows.length);
  }

  // ---------------------------------------------------------------- the model drawn, in boxes of HTML
  function model(element, study, options) {
    const drawn = study.drawing, choose = options && options.onSelect;
    const place = (options && options.period) || 0;
    const used = new Map(study.centers.map((center) => [center.name, center.used[place]]));
    element.replaceChildren();
    element.classList.add("model");
    const way = node("div", "ways");
    drawn.work.forEach((work) => {
      const line = node("p", "way");
      line.append(button(work.name, choose, "work", work.name), text(work.rate !== null && work.rate !== undefined ? ` ${number(work.rate, 4)}/s` : ` ${work.users} users`));
      work.way.forEach((stop) => {
        line.append(text(" → "), strong(stop.regions.join(", ")));
        if (stop.uses.length) line.append(text(` (${stop.uses.join(", ")})`));
      });
      way.append(line);
    });
    const lpars = node("div", "lpars");
    drawn.lpars.forEach((lpar) => {
      const box = node("section", "lpar");
      const head = node("h4");
      head.append(button(lpar.name, choose, "lpar", lpar.name));
      box.append(head, bar(counted(lpar.engines, "CP"), used.get(`${lpar.name} CPs`)));
      if (lpar.ziips) box.append(bar(`${counted(lpar.ziips.cores, "zIIP")}${lpar.ziips.threads > 1 ? ", SMT " + lpar.ziips.threads : ""}`, used.get(`${lpar.name} zIIPs`)));
      lpar.groups.forEach((group) => {
        const card = node("div", "region");
        const title = node("h5");
        title.append(button(group.label, choose, "region", group.names[0]), text(` ${group.kind}${group.names.length > 1 ? ", " + group.names.length + " equal regions" : ""}`));
        card.append(title);
        if (used.has(`${group.label} QR TCB`)) card.append(bar("QR TCB", used.get(`${group.label} QR TCB`)));
        card.append(bar(`${group.limit_name} ${group.limit}`, used.get(`${group.label} ${group.limit_name}`)));
        Object.entries(group.tranclasses).forEach(([name, most]) => card.append(bar(`TRANCLASS ${name} ${most}`, used.get(`${group.label} TRANCLASS ${name}`))));
        box.append(card);
      });
      lpars.append(box);
    });
    const shared = node("div", "shared");
    drawn.facilities.forEach((each) => shared.append(center(each.name, `coupling facility, ${counted(each.engines, "engine")}`, "facility")));
    drawn.loggers.forEach((each) => shared.append(center(each.name, `log, ${counted(each.stripes, "stripe")}`, "logger")));
    drawn.devices.forEach((each) => shared.append(center(each.name, each.servers ? counted(each.servers, "server") : "no queue", "device")));
    element.append(way, lpars, shared);

    function center(name, detail, kind) {
      const card = node("div", "region");
      const title = node("h5");
      title.append(button(name, choose, kind, name), text(` ${detail}`));
      card.append(title);
      if (used.has(name)) card.append(bar("busy", used.get(name)));
      return card;
    }
  }

  function bar(label, used) {
    const box = node("div", "use");
    const name = node("span", "what");
    name.textContent = label;
    const track = node("span", "track"), fill = node("span", "fill"), value = node("span", "much");
    const share = used === undefined || used === null ? 0 : used;
    fill.style.width = `${Math.min(share, 100)}%`;
    fill.dataset.level = share >= FULL ? "full" : share >= BUSY ? "busy" : "calm";
    value.textContent = used === undefined || used === null ? "–" : `${percent(share)} %`;
    track.append(fill);
    box.append(name, track, value);
    return box;
  }

  function node(tag, name) {
    const made = document.createElement(tag);
    if (name) made.className = name;
    return made;
  }

  function text(words) { return document.createTextNode(words); }

  function strong(words) {
    const made = node("b");
    made.textContent = words;
    return made;
  }

  function button(words, choose, kind, name) {
    if (!choose) return strong(words);
    const made = node("button", "part");
    made.type = "button";
    made.textContent = words;
    made.addEventListener("click", () => choose(kind, name));
    return made;
  }

  const drawers = { responses, heat, split, gains, model };
  function draw(root, study, options) {
    root.querySelectorAll("[data-chart]").forEach((element) => drawers[element.dataset.chart](element, study, options));
  }
  function all() { return [...charts.values()].filter((one) => !one.isDisposed()); }
  window.qnsolveStudy = { draw, charts: drawers, seconds, number, percent, shownTo, all };
})();
