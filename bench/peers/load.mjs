// Here, because a package is looked up from where it is imported: the peers lie beside this file and nowhere else.

import { readFileSync } from "node:fs";

/** The version of an installed peer; undefined when it is not installed. */
export function versionOf(name) {
  try {
    return JSON.parse(readFileSync(new URL(`./node_modules/${name}/package.json`, import.meta.url), "utf8")).version;
  } catch {
    return undefined;
  }
}

/** A module of a peer; with `file` one that its package does not export. */
export const load = (specifier, file) => (file ? import(new URL(`./node_modules/${specifier}/${file}`, import.meta.url).href) : import(specifier));
