/* The page to try the functions: a list, a form for each, its value or its error with the reason. */
(function () {
  "use strict";
  var list = document.getElementById("list"), place = document.getElementById("function"), find = document.getElementById("find");
  var functions = [];

  function made(kind, attributes, text) {
    var found = document.createElement(kind);
    Object.keys(attributes || {}).forEach(function (key) { found.setAttribute(key, attributes[key]); });
    if (text !== undefined) found.textContent = text;
    return found;
  }

  function figure(value) {
    if (typeof value !== "number") return value;
    return Number.isInteger(value) && Math.abs(value) < 1e15 ? String(value) : String(parseFloat(value.toPrecision(10)));
  }

  function listed() {
    var words = find.value.toLowerCase().split(/\s+/).filter(Boolean), group = null;
    list.textContent = "";
    functions.forEach(function (f) {
      var text = (f.usage + " " + f.group + " " + f.summary).toLowerCase();
      if (!words.every(function (word) { return text.indexOf(word) >= 0; })) return;
      if (f.group !== group) list.append(made("h3", {}, group = f.group));
      var link = made("a", { href: "#" + f.name, title: f.summary }, "QN." + f.name);
      if ("#" + f.name === location.hash) link.setAttribute("aria-current", "true");
      list.append(link);
    });
    if (!list.children.length) list.append(made("p", {}, "No function has these words."));
  }

  /* a cell as it is typed; text in quotes is a text */
  function typed(text) {
    var word = text.trim(), quoted = /^"((?:[^"]|"")*)"$/.exec(word);
    if (quoted) return quoted[1] === "" ? null : quoted[1].replace(/""/g, '"');
    if (word === "") return null;
    if (/^#(N\/A|NUM!|VALUE!|REF!|NAME\?|NULL!|DIV\/0!)$/i.test(word)) return { error: word.toUpperCase() };
    if (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(word)) return Number(word);
    return /^(true|false)$/i.test(word) ? word.toLowerCase() === "true" : word;
  }

  /* a row has tabs between its cells, or spaces where it has no tab */
  function cells(row) {
    return (row.indexOf("\t") >= 0 ? row.split("\t") : row.match(/"(?:[^"]|"")*"|\S+/g) || [""]).map(typed);
  }

  function range(text) {
    var rows = text.replace(/\s+$/, "").split(/\r?\n/).map(cells);
    return rows.length === 1 && rows[0].length === 1 && rows[0][0] === null ? null : rows;
  }

  /* a row as text that `cells` reads */
  function line(row) {
    return row.length > 1 ? row.map(shown).join("\t") : shown(row[0]).replace(/^(?=.*\s)(.*)$/, '"$1"');
  }

  /* Tab goes to the next cell of a table; after Escape it leaves the field */
  function tabbed(event) {
    var field = event.target, leaving = field.getAttribute("data-leaving");
    field.removeAttribute("data-leaving");
    if (event.key === "Escape") field.setAttribute("data-leaving", "yes");
    if (event.key !== "Tab" || leaving || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    field.setRangeText("\t", field.selectionStart, field.selectionEnd, "end");
  }

  function shown(value) {
    if (value === null || value === undefined) return "";
    if (value === true || value === false) return String(value).toUpperCase();
    return value.error || String(value);
  }

  function literal(value) {
    if (value === null || value === undefined) return "";
    if (Array.isArray(value)) {
      return "{" + value.map(function (row) { return row.map(function (c) { return c === null ? '""' : literal(c); }).join(","); }).join(";") + "}";
    }
    return typeof value === "string" ? '"' + value.replace(/"/g, '""') + '"' : shown(value);
  }

  function formula(f, given) {
    return "=QN." + f.name + "(" + given.map(literal).join(",").replace(/,+$/, "") + ")";
  }

  function asked(calls) {
    return fetch("batch", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(calls) })
      .then(function (response) {
        if (response.ok) return response.json();
        return response.text().then(function (text) { throw new Error(text.trim()); });
      });
  }

  function answered(into, f, given) {
    asked([{ f: f.name, a: given }, { f: "WHY", a: [f.name].concat(given).slice(0, 11) }]).then(function (answers) {
      var answer = answers[0], why = answers[1].value || "";
      into.textContent = "";
      if (answer.error) {
        into.append(made("div", { "class": "value error" }, answer.error), made("p", { "class": "why" }, answer.reason));
      } else if (Array.isArray(answer.value)) {
        var table = made("table"), scroll = made("div", { "class": "scroll" });
        answer.value.forEach(function (row, i) {
          var line = made("tr");
          var head = i === 0 && row.every(function (c) { return typeof c === "string"; });
          row.forEach(function (c) { line.append(made(head ? "th" : "td", typeof c === "number" ? { "class": "n" } : {}, figure(c))); });
          table.append(line);
        });
        scroll.append(table);
        into.append(scroll);
      } else {
        into.append(made("div", { "class": "value" }, figure(answer.value)));
      }
      if (!answer.error && given.length <= 10 && why) into.append(made("p", { "class": "why" }, why));
      into.append(made("code", { "class": "formula" }, formula(f, given)));
      into.setAttribute("data-done", f.name);
    }).catch(function (fault) {
      into.textContent = "";
      into.append(made("p", { "class": "error" }, "The server does not answer: is qnsolve addin serve still running? " + fault.message));
    });
  }

  function opened() {
    var f = functions.filter(function (each) { return "#" + each.name === location.hash; })[0];
    if (!f) return;
    place.textContent = "";
    place.append(made("h2", {}, "=" + f.usage), made("p", {}, f.summary), made("p", { "class": "why" }, f.method));
    var form = made("form", { autocomplete: "off" }), fields = [], into = made("div", { "class": "answer" });
    f.arguments.forEach(function (a, i) {
      var id = "a" + i, value = f.example[i], label = made("label", { "for": id }, a.name), box = made("div"), field;
      if (a.optional) label.append(made("i", {}, "may be left out"));
      if (a.range) {
        var rows = Array.isArray(value) ? value : value === null || value === undefined ? [] : [[value]];
        field = made("textarea", { id: id, rows: Math.min(12, Math.max(2, rows.length + 1)), spellcheck: "false", placeholder: "type or paste cells here" });
        field.title = "Tab or spaces between cells, a text with spaces in quotes. Escape, then Tab leaves the field.";
        field.value = rows.map(line).join("\n");
        field.addEventListener("keydown", tabbed);
      } else {
        field = made("input", { id: id, type: "text" });
        field.value = shown(value);
      }
      fields.push(field);
      box.append(field, made("small", {}, a.help + (a.range ? " " + field.title : "")));
      form.append(label, box);
    });
    var go = made("div", { "class": "go" });
    go.append(made("button", { type: "submit" }, "Calculate"));
    form.append(go);
    function calculate() {
      var given = fields.map(function (field, i) { return f.arguments[i].range ? range(field.value) : typed(field.value); });
      while (given.length && given[given.length - 1] === null) given.pop();
      answered(into, f, given);
    }
    form.addEventListener("submit", function (event) { event.preventDefault(); calculate(); });
    place.append(form, into);
    calculate();
  }

  fetch("catalogue.json").then(function (response) { return response.json(); }).then(function (found) {
    functions = found;
    if (!location.hash) history.replaceState(null, "", "#MMC_RESPONSE");
    listed();
    opened();
  });
  find.addEventListener("input", listed);
  window.addEventListener("hashchange", function () { listed(); opened(); });
})();
