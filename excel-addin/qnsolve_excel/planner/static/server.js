// What the page asks the server: JSON there and back; an error is one line and the item it names.

const page = Math.random().toString(36).slice(2);
let asked = 0; // the browser may send what was asked in quick succession in another order

export class ServerError extends Error {
  constructor(text, item) {
    super(text);
    this.item = item || "";
  }
}

export async function ask(kind, given = {}) {
  // null where a newer request of this page took its place
  const number = ++asked;
  let response;
  try {
    response = await fetch(`api/${kind}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...given, page, number }),
    });
  } catch (fault) {
    throw new ServerError("the server does not answer: is qnsolve serve still running?");
  }
  if (!response.ok) throw new ServerError((await response.text()).trim());
  const found = await response.json();
  if (found.superseded) return null;
  if (found.error) throw new ServerError(found.error, found.item);
  return found;
}

export function save(name, type, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

export async function base64Of(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}
