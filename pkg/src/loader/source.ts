// Which loader a bundle gets: the build replaces this file by workerd.ts or slim.ts for the entries that need those.

export { source } from "./inline.js";
