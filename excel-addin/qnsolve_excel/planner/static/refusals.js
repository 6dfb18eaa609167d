// What the server refuses stands beside the field that it is about, until there is an answer again.

import { wrong as wrongField } from "./tree.js";
import { wrong as wrongInput } from "./question.js";

const QUESTION = /^(question|growth|begin|from|until|by|target|season|special|what)/;

// whether a refusal is of the model, not of the question
export const ofModel = (item) => item !== "" && !QUESTION.test(item);

export class Refusals {
  constructor() {
    this.edited = null; // the field that was changed last
    this.since = []; // fields that were changed since the last answer, the last one first
    this.clear = () => {};
  }

  touched(field) {
    this.edited = field;
    this.since = [field, ...this.since.filter((each) => each !== field)];
  }

  // what is changed next was not typed into a field
  elsewhere() {
    this.edited = null;
    this.since = [];
  }

  accepted() {
    this.clear();
    this.clear = () => {};
    this.since = [];
  }

  // whether there is a field to write it beside
  written({ message, item }) {
    this.clear();
    this.clear = () => {};
    const field = this.edited && (inputOf(this.since, item) || figureOf(this.since, message) || this.edited);
    if (!field || !(field.row || field).isConnected) return false;
    const write = field.row ? wrongField : wrongInput;
    write(field, message);
    this.clear = () => write(field, "");
    return true;
  }
}

// the figure whose key and a name of whose part stand in the text
function figureOf(fields, text) {
  const words = new Set(text.split(/[^A-Za-z0-9_]+/));
  const found = fields.filter((each) => each.row && each.row.isConnected && words.has(each.figure.key));
  return found.find((each) => each.names.some((name) => text.includes(name))) || found[0];
}

// "growth of orders", "target of orders", "until"
function inputOf(fields, item) {
  const inputs = fields.filter((each) => !each.row);
  return inputs.find(({ name }) => item === name.replace(" ", " of ")) || inputs.find(({ name }) => item.startsWith(name.split(" ")[0]));
}
