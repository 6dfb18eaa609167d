// The model as the text of its file: for all that fields do not have: new regions, names, routes.

import { at, made } from "./dom.js";
import { ask, ServerError } from "./server.js";

export function textPanel(page) {
  const { store } = page;
  let shown = null;

  async function draw() {
    const root = at("text");
    if (root.hidden) return;
    const { scenario } = store;
    if (shown === scenario.model && root.children.length) return;
    shown = scenario.model;
    const area = made("textarea", { id: "model-text", rows: "30", spellcheck: "false", "aria-describedby": "text-note" });
    const use = made("button", { type: "button", id: "use-text", class: "first" }, "Use this text");
    const wrong = made("p", { id: "text-wrong", role: "alert", hidden: true, class: "figure" });
    use.addEventListener("click", async () => {
      wrong.hidden = true;
      try {
        const found = await ask("open", { text: area.value, name: "model.toml" });
        if (found) page.setModel(found.scenarios[0].model);
      } catch (fault) {
        if (!(fault instanceof ServerError)) throw fault;
        wrong.hidden = false;
        wrong.replaceChildren(made("span", { class: "wrong" }, fault.message));
      }
    });
    root.replaceChildren(
      made("h2", {}, "The model file"),
      made("p", { class: "note", id: "text-note" }, "As docs/system-file.md describes it; times in seconds. Add a region or a work here, then use the text."),
      made("label", { for: "model-text", class: "visually-hidden" }, "Text of the model file"), area, wrong, made("div", { class: "row" }, use),
    );
    try {
      const found = await ask("describe", { model: scenario.model });
      if (found && shown === scenario.model) area.value = found.text;
    } catch (fault) {
      if (!(fault instanceof ServerError)) throw fault;
      page.problem(fault.message);
    }
  }

  return { draw };
}
