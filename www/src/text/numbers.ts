// Numbers as people read them.

const GROUPED = new Intl.NumberFormat("en");

/** A number with thin spaces between groups of three digits. */
export const count = (value: number): string => GROUPED.format(value).replaceAll(",", "\u202f");

/** "1 message", "2 messages". */
export const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

const UNITS = ["kB", "MB", "GB", "TB"];

/** A size in bytes: "812 bytes", "4.2 kB", "13 MB". Units are powers of 1000. */
export function bytes(value: number): string {
  if (value < 1000) return counted(value, "byte");
  let size = value;
  let unit = -1;
  // 999.5 would be shown as 1000 of its unit.
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${size < 9.95 ? size.toFixed(1) : count(Math.round(size))} ${UNITS[unit]}`;
}
