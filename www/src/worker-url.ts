// The address of the worker, as pages with Trusted Types take it. Its policy is its own, so that the one for HTML can load no script.

interface Policy {
  createScriptURL(address: string): unknown;
}
interface Factory {
  createPolicy(name: string, rules: { createScriptURL(address: string): string }): Policy;
}

/** Addresses that were asked for: nothing else passes the policy. */
const own = new Set<string>();
let policy: Policy | undefined;

function check(address: string): string {
  if (!own.has(address)) throw new TypeError("only the viewer's own worker is loaded");
  return address;
}

/** The address; a page's list of policies must name `plica-viewer-worker`. */
export function workerUrl(address: string): URL | string {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
  if (!factory) return address;
  own.add(address);
  try {
    policy ??= factory.createPolicy("plica-viewer-worker", { createScriptURL: check });
    return policy.createScriptURL(address) as string;
  } catch {
    // The name is not in the page's list: where nothing is enforced the plain address does.
    return address;
  }
}
