// Messages that the core changed, made from your own: what stays is the very same object, and only what holds a change is
// copied.

import { enlivened, isLive, live } from "./instances.js";
import { isBinaryObject } from "./json.js";

type Path = readonly (string | number)[];

interface Change {
  path: Path;
  /** Left out: the member goes. */
  value?: unknown;
}

interface ItemRecipe {
  of?: number;
  list?: Path;
  at?: number;
  json?: unknown;
  sets?: readonly Change[];
}

interface MessageRecipe {
  from?: number;
  json?: object;
  list?: Path;
  items?: readonly ItemRecipe[];
  sets?: readonly Change[];
}

/** The messages of a recipe. `lines` are the JSON texts of the messages, for values that say themselves what they look like. @internal */
export function cooked<M extends object>(recipe: string, messages: readonly M[], lines: readonly string[]): M[] {
  const sources = new Sources(messages, lines);
  return (JSON.parse(recipe) as (number | MessageRecipe)[]).map((entry) => (typeof entry === "number" ? messages[entry]! : (sources.message(entry) as M)));
}

class Sources {
  private readonly plain = new Map<number, object>();

  constructor(
    private readonly messages: readonly object[],
    private readonly lines: readonly string[],
  ) {}

  message({ from, json, list, items, sets = [] }: MessageRecipe): object {
    const changes = [...(list !== undefined && items !== undefined ? [{ path: list, value: items.map((item) => this.item(item)) }] : []), ...sets];
    if (from === undefined) return enlivened([changed(json, changes) as object], this.messages)[0]!;
    const own = this.messages[from]!;
    if (!speaksForItself(own) && changes.every(({ path }) => follow(own, path.slice(0, -1)) !== undefined)) return changed(own, changes) as object;
    return changed(this.parsed(from), changes) as object;
  }

  private item({ of, list = [], at = 0, json, sets = [] }: ItemRecipe): unknown {
    if (of === undefined) return changed(json, sets);
    const path = [...list, at];
    return changed(follow(this.messages[of]!, path) ?? follow(this.parsed(of), path), sets);
  }

  /** For a message whose toJSON gives something of another shape. */
  private parsed(index: number): object {
    let plain = this.plain.get(index);
    if (plain === undefined) this.plain.set(index, (plain = JSON.parse(this.lines[index]!) as object));
    return plain;
  }
}

function follow(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of live(value, path)) {
    if (typeof at !== "object" || at === null || speaksForItself(at)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}

function changed(value: unknown, changes: readonly Change[]): unknown {
  const ours = new Set<unknown>();
  return changes.reduce((before, change) => withChange(before, live(before, change.path), change, ours), value);
}

/** Copies what holds the change, once; what is in `ours` is a copy already. */
function withChange(value: unknown, path: Path, change: Change, ours: Set<unknown>): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change.value;
  // What cannot have the member gives way to what can.
  const seen = asSeen(value);
  const holder = typeof seen === "object" && seen !== null && (typeof step === "number" || !Array.isArray(seen)) ? seen : {};
  const copy = (ours.has(holder) ? holder : shallowCopy(holder)) as Record<string | number, unknown>;
  ours.add(copy);
  if (rest.length === 0 && !("value" in change)) delete copy[step];
  else define(copy, step, withChange(copy[step], rest, change, ours));
  return copy;
}

/** Whether the JSON of a value is not that of its members. The instances of LangChain hold theirs. */
function speaksForItself(value: object): boolean {
  return (typeof (value as { toJSON?: unknown }).toJSON === "function" && !isLive(value)) || ArrayBuffer.isView(value) || isBinaryObject(value);
}

/** A value as the core saw it, before a member of it changes: binary is a mark there, which has no members. */
function asSeen(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !speaksForItself(value)) return value;
  if (ArrayBuffer.isView(value) || isBinaryObject(value)) return undefined;
  const seen = (value as { toJSON(key: string): unknown }).toJSON("");
  if (typeof seen !== "object" || seen === null || !speaksForItself(seen)) return seen;
  if (ArrayBuffer.isView(seen) || isBinaryObject(seen)) return undefined;
  // JSON.stringify asks once.
  const { toJSON: _, ...members } = seen as { toJSON: unknown };
  return members;
}

/** As JSON.parse does it: `__proto__` is a name like others. */
function define(object: object, key: string | number, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}

/** A copy of the same class, which may be changed although the original is frozen. */
function shallowCopy(value: object): object {
  if (Array.isArray(value)) return value.slice();
  const members = Object.getOwnPropertyDescriptors(value) as PropertyDescriptorMap;
  for (const key of Reflect.ownKeys(members) as string[]) {
    const member = members[key]!;
    member.configurable = true;
    if ("value" in member) member.writable = true;
  }
  return Object.create(Object.getPrototypeOf(value) as object | null, members) as object;
}
