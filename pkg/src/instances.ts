// Live messages of LangChain: instances that serialise themselves as `{ lc, id, kwargs }` and hold the kwargs as their own
// properties.

type Path = readonly (string | number)[];

interface Live {
  toJSON(): { id?: readonly unknown[] };
  lc_kwargs: object;
  constructor: new (kwargs: object) => object;
}

/** Whether a value is such an instance. @internal */
export function isLive(value: unknown): value is Live {
  const message = value as Partial<Live> | null;
  return typeof message === "object" && message !== null && typeof message.toJSON === "function" && typeof message.lc_kwargs === "object";
}

/** A way into the serialised form, as the way into the value itself. @internal */
export function live(value: unknown, path: Path): Path {
  return path[0] === "kwargs" && isLive(value) ? path.slice(1) : path;
}

/**
 * Written messages as instances, where the conversation has instances and one of the class that is wanted.
 *
 * @internal
 */
export function enlivened<D extends object>(written: readonly D[], conversation: readonly object[]): D[] {
  if (!isLive(conversation[0])) return [...written];
  return written.map((message) => {
    const { id, kwargs } = message as { id?: unknown; kwargs?: object };
    const wanted: unknown = Array.isArray(id) ? id[id.length - 1] : undefined;
    const model = conversation.find((other) => isLive(other) && lastOf(other.toJSON().id) === wanted) as Live | undefined;
    return kwargs === undefined || model === undefined ? message : (new model.constructor(kwargs) as D);
  });
}

function lastOf(list: readonly unknown[] | undefined): unknown {
  return list?.[list.length - 1];
}
