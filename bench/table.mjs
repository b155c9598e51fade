// Markdown out of numbers. Every number has its unit.

const UNITS = [["ns", 1e-6], ["µs", 1e-3], ["ms", 1], ["s", 1e3]];

/** Three digits that count; two of what is below 0.1. */
function digits(value) {
  if (value >= 100) return count(Math.round(value));
  if (value >= 10) return value.toFixed(1);
  return value >= 0.0995 || value === 0 ? value.toFixed(2) : value.toFixed(Math.ceil(-Math.log10(value)) + 1);
}

/** 12345 → "12,345". */
export const count = (value) => Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");

const unitOf = (ms) => UNITS.findLast(([, size]) => ms >= size) ?? UNITS[0];

/** "1.23 ms (1.20–1.31)"; "> 20 s"; or why there is no time. */
export function time(result, rounds) {
  if (result === undefined) return "—";
  if (result.missing) return `— (${result.missing})`;
  if (result.over) return `> ${result.over} s`;
  const [unit, size] = unitOf(result.median);
  const spread = result.rounds > 1 ? ` (${digits(result.low / size)}–${digits(result.high / size)})` : "";
  return `${digits(result.median / size)} ${unit}${spread}${roundsNote(result, rounds)}`;
}

/** "201 MB/s (198–204)" for so many bytes a run. */
export function throughput(result, bytes, rounds) {
  if (result.median === undefined) return time(result);
  const speed = (ms) => digits(bytes / 1e3 / ms);
  const spread = result.rounds > 1 ? ` (${speed(result.high)}–${speed(result.low)})` : "";
  return `${speed(result.median)} MB/s${spread}${roundsNote(result, rounds)}`;
}

const roundsNote = (result, rounds) => (result.rounds < rounds ? `, ${result.rounds} round${result.rounds === 1 ? "" : "s"}` : "");

/** How many times as long the other one takes: " · 12.3 ×"; nothing when one of them has no time. */
export function ratio(ours, theirs) {
  if (ours?.median === undefined || theirs === ours) return "";
  if (theirs?.over) return ` · > ${digits((theirs.over * 1000) / ours.median)} ×`;
  return theirs?.median === undefined ? "" : ` · ${digits(theirs.median / ours.median)} ×`;
}

export function markdown(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), `|---|${"---:|".repeat(head.length - 1)}`, ...rows.map(line)].join("\n");
}

/**
 * A table with a line for each contender and a column for each measurement. `columns`: `{ head, results, bytes? }`; the first
 * contender is the one that the others are compared with; with `bytes` speeds are said, not times.
 */
export function table(title, columns, rounds) {
  const names = [...new Set(columns.flatMap(({ results }) => [...results.keys()]))];
  const rows = names.map((name) => [
    name === names[0] ? `**${name}**` : name,
    ...columns.map(({ results, bytes }) => {
      const result = results.get(name);
      const said = bytes === undefined ? time(result, rounds) : throughput(result, bytes, rounds);
      return said + ratio(results.get(names[0]), result);
    }),
  ]);
  return markdown([title, ...columns.map(({ head }) => head)], rows);
}
