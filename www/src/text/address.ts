// Addresses in a transcript: where a link goes is said, and nothing is fetched.

import { fill, plain } from "./hidden.js";

/** An address as it is shown, at most so many units of it. */
const SHOWN = 200;

const cut = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text);

/** An address that a reader may follow, or undefined. Relative ones have no meaning outside of the place where they were written. */
function web(address: string): URL | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(address)) return undefined;
  try {
    const url = new URL(address);
    return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : undefined;
  } catch {
    return undefined;
  }
}

/** What a reader must know of where a link goes: the host, or who gets the mail. */
function target(url: URL): string {
  if (url.protocol !== "mailto:") return url.host;
  try {
    return decodeURIComponent(url.pathname);
  } catch {
    return url.pathname;
  }
}

/** The text of a link says by itself where it goes: it begins with the target and does not go on as another host. */
function says(text: string, url: URL): boolean {
  const bare = text.trim().toLowerCase().replace(/^(?:https?:\/\/|mailto:)/, "");
  const goal = target(url).toLowerCase();
  return goal !== "" && bare.startsWith(goal) && /^(?:[/?#]|$)/.test(bare.slice(goal.length));
}

/** A piece of text of the viewer beside text of the transcript; it has a class, which the transcript cannot give. */
function aside(className: string, text: string): HTMLElement {
  const span = document.createElement("span");
  span.className = className;
  span.dir = "ltr";
  fill(span, cut(text), 10);
  return span;
}

/** A link that is followed by a click only, in a window that knows nothing of this one. */
function anchor(url: URL, inner: Node[]): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = url.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.referrerPolicy = "no-referrer";
  link.title = cut(plain(url.href));
  link.append(...inner);
  return link;
}

/** What stands in the place of a link. Pictures inside it stand before it, as they become controls of their own. */
export function linked(address: string, inner: DocumentFragment): DocumentFragment {
  const result = document.createDocumentFragment();
  const pictures = inner.querySelectorAll(".remote");
  result.append(...pictures);
  const text = inner.textContent ?? "";
  const url = web(address);
  if (!url) {
    result.append(inner);
    if (text.trim() !== address.trim()) result.append(" ", aside("address", address === "" ? "no address" : address));
    return result;
  }
  if (text.trim() === "") inner.replaceChildren(target(url) || url.href);
  const said = says(inner.textContent ?? "", url);
  result.append(anchor(url, [...inner.childNodes]));
  if (!said) result.append(" ", aside("host", target(url)));
  return result;
}

/** What stands in the place of a picture: what it is said to show and where it would come from. The caller may make it a control. */
export function remote(address: string, alt: string): HTMLElement {
  const url = web(address);
  const box = document.createElement("span");
  box.className = "remote";
  if (url && url.protocol !== "mailto:") box.dataset["src"] = url.href;
  const label = document.createElement("span");
  label.className = "alt";
  fill(label, alt.trim() || "Picture", 20);
  box.append(label, " ", aside(url ? "host" : "address", url ? target(url) : address || "no address"));
  return box;
}
