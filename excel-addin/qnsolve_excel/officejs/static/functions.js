/* The functions as Excel runs them. All calls that Excel makes in one go are handed to the server in one request. */
(function (host) {
  "use strict";
  var most = 5000, waiting = [], timer = null;
  var counts = { requests: 0, calls: 0 };

  function error(code, reason) {
    return new CustomFunctions.Error(code, reason);
  }

  function cell(value) {
    if (value === undefined || value === null) return null;
    if (typeof value !== "object") return typeof value === "number" && !isFinite(value) ? { error: "#NUM!" } : value;
    return { error: value.code || value.basicValue || "#VALUE!" };
  }

  function argument(value) {
    return Array.isArray(value) ? value.map(function (row) { return Array.isArray(row) ? row.map(cell) : [cell(row)]; }) : cell(value);
  }

  function send() {
    timer = null;
    var batch = waiting.splice(0, most);
    if (waiting.length) timer = setTimeout(send, 0);
    counts.requests += 1;
    counts.calls += batch.length;
    fetch("batch", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(batch.map(function (call) { return { f: call.name, a: call.given }; }))
    }).then(function (response) {
      if (!response.ok) return response.text().then(function (text) { throw new Error(text.trim()); });
      return response.json();
    }).then(function (answers) {
      batch.forEach(function (call, i) {
        var answer = answers[i];
        if (answer.error) call.refuse(error(answer.error, answer.reason)); else call.take(answer.value);
      });
    }).catch(function (fault) {
      var reason = "qnsolve is not reached: start qnsolve addin serve (" + fault.message + ")";
      batch.forEach(function (call) { call.refuse(error("#N/A", reason)); });
    });
  }

  function called(name, given) {
    return new Promise(function (take, refuse) {
      waiting.push({ name: name, given: given.map(argument), take: take, refuse: refuse });
      if (timer === null) timer = setTimeout(send, 0);
    });
  }

  host.QN_COUNTS = counts;
  /* name, number of arguments; what Excel adds behind them is no argument */
  (/* FUNCTIONS */ []).forEach(function (item) {
    CustomFunctions.associate(item[0], function () {
      return called(item[0], Array.prototype.slice.call(arguments, 0, item[1]));
    });
  });
})(typeof globalThis !== "undefined" ? globalThis : self);
