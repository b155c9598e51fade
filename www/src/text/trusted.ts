// HTML becomes nodes in one place only. Under `require-trusted-types-for 'script'` a parser of HTML takes no strings, so DOMPurify
// gets a policy to hand its input to its own inert document. What comes out are sanitised nodes and never a string: nothing else
// in the viewer can reach the policy, and nothing is assigned to innerHTML.

import createDOMPurify, { type Config, type DOMPurify } from "dompurify";

const NAME = "plica-viewer";

type Policy = NonNullable<Config["TRUSTED_TYPES_POLICY"]>;
interface Factory {
  createPolicy(name: string, rules: { createHTML(html: string): string; createScriptURL(address: string): string }): Policy;
}

function refuse(): never {
  throw new TypeError("the viewer loads no scripts");
}

/** The policy, or undefined where there are none or the page does not allow this name. */
function create(): Policy | undefined {
  const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes;
  try {
    return factory?.createPolicy(NAME, { createHTML: (html) => html, createScriptURL: refuse });
  } catch {
    // The name is not in the list of the page, or another copy of the viewer has taken it. DOMPurify then tries its own.
    return undefined;
  }
}

let ready: { purify: DOMPurify; policy: Policy | undefined } | undefined;

/** Nodes for HTML with nothing but the tags and attributes that are allowed, or undefined where the page lets nobody parse HTML. */
export function sanitised(html: string, tags: string[], attributes: string[]): DocumentFragment | undefined {
  if (html === "") return document.createDocumentFragment();
  ready ??= { purify: createDOMPurify(window), policy: create() };
  const fragment = ready.purify.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    SANITIZE_NAMED_PROPS: true,
    RETURN_DOM_FRAGMENT: true,
    ...(ready.policy ? { TRUSTED_TYPES_POLICY: ready.policy } : {}),
  });
  return fragment.hasChildNodes() ? (document.adoptNode(fragment) as DocumentFragment) : undefined;
}
