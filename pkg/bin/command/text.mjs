// Text for people: numbers, sizes, tables. The same on every machine, so no locale.

/** 12345 → "12,345". @param {number} value */
export function number(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A size for people. @param {number} size */
export function bytes(size) {
  if (size < 1000) return `${size} bytes`;
  if (size < 1e6) return `${(size / 1e3).toFixed(1)} kB`;
  return `${(size / 1e6).toFixed(1)} MB`;
}

/** Columns side by side: numbers to the right, text to the left. @param {(string | number)[][]} rows @param {string} indent */
export function table(rows, indent = "  ") {
  const cells = rows.map((row) => row.map((cell) => ({ text: typeof cell === "number" ? number(cell) : cell, right: typeof cell === "number" })));
  const widths = [];
  for (const row of cells) row.forEach((cell, i) => (widths[i] = Math.max(widths[i] ?? 0, cell.text.length)));
  return cells
    .map((row) => indent + row.map((cell, i) => (cell.right ? cell.text.padStart(widths[i]) : cell.text.padEnd(widths[i]))).join("  ").trimEnd())
    .join("\n");
}

/** A line about long work, on stderr. @param {string} line */
export function progress(line) {
  process.stderr.write(`plica: ${line} …\n`);
}

/** Text from a file on its way to a terminal: control characters would be obeyed. @param {string} text */
export function printable(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The problems of a file, the first ones line by line. @param {{ line: number, code: string, message: string }[]} problems */
export function problemLines(problems, most = 20) {
  const shown = problems.slice(0, most).map(({ line, code, message }) => `  line ${line}: ${code}: ${printable(message)}`);
  return [...shown, ...(problems.length > most ? [`  and ${number(problems.length - most)} more (--json lists all)`] : [])].join("\n");
}
