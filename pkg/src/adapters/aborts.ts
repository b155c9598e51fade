// Signals that end a call: heard at once, whatever the call waits for.

import type { Signal } from "plica";

export function abortOf(signal: Signal): { heard: Promise<void>; unhear: () => void } {
  const { addEventListener, removeEventListener } = signal as Partial<AbortSignal>;
  let hear = (): void => {};
  const heard = new Promise<void>((resolve) => (hear = resolve));
  if (typeof addEventListener === "function") addEventListener.call(signal, "abort", hear, { once: true });
  return { heard, unhear: () => typeof removeEventListener === "function" && removeEventListener.call(signal, "abort", hear) };
}

export function isAborted(signal: Signal | undefined): boolean {
  return (signal as { aborted?: unknown } | undefined)?.aborted === true;
}

/** What it was aborted with: an AbortError where that is nothing. */
export function reasonOf(signal: Signal | undefined): unknown {
  const { reason } = (signal ?? {}) as { reason?: unknown };
  if (reason !== undefined) return reason;
  const controller = new AbortController();
  controller.abort();
  return controller.signal.reason as unknown;
}

export function refuseAborted(signal: Signal | undefined): void {
  if (isAborted(signal)) throw reasonOf(signal);
}

/** The result of work, or what the signal was aborted with: whichever comes first. The work goes on by itself then. */
export async function unlessAborted<T>(work: () => Promise<T>, signal: Signal | undefined): Promise<T> {
  if (signal === undefined || signal === null) return work();
  refuseAborted(signal);
  const abort = abortOf(signal);
  try {
    return await Promise.race([
      work(),
      abort.heard.then((): never => {
        throw reasonOf(signal);
      }),
    ]);
  } finally {
    abort.unhear();
  }
}
