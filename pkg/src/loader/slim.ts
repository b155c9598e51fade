// Those who bring the module themselves (pages that want it streamed and cached as a file of its own, runtimes with an
// import of their own): nothing is inside, `init` must come first.
//
// Rejected: guessing where `plica.wasm` is (each bundler has its own way to name an asset; `plica/core.wasm` is exported for
// all of them), and a synchronous first call (nothing to compile yet).

import type { Source } from "./core.js";
import type { ModuleInput, ResponseLike, UrlLike } from "./module-input.js";

let given: WebAssembly.Module | undefined;

export const source: Source = {
  module: () => given,
  moduleAsync: async () => given,
  missing: "the slim entry holds no WebAssembly: await init(module, bytes, response or URL of core.wasm) before anything else.",
};

/** Compiles what was given and keeps it for this and every later instance. The first one stays. */
export async function provide(input: ModuleInput | PromiseLike<ModuleInput>): Promise<void> {
  if (given !== undefined) return;
  const module = await toModule(await input);
  given ??= module;
}

async function toModule(input: ModuleInput): Promise<WebAssembly.Module> {
  if (input instanceof WebAssembly.Module) return input;
  if (typeof input === "string" || isUrl(input)) return fromResponse(await fetch(typeof input === "string" ? input : input.href));
  if (isResponse(input)) return fromResponse(input);
  if (isBytes(input)) return WebAssembly.compile(input);
  throw new TypeError("expected a WebAssembly.Module, an ArrayBuffer, a typed array, a Response, a URL or a string");
}

async function fromResponse(response: ResponseLike): Promise<WebAssembly.Module> {
  if (!response.ok) throw new TypeError(`the server answered ${response.status}`);
  if (canStream(response)) return WebAssembly.compileStreaming(response);
  return WebAssembly.compile(await response.arrayBuffer());
}

// Streaming insists on the right content type, which many servers do not send.
function canStream(response: ResponseLike): response is Response {
  return typeof WebAssembly.compileStreaming === "function" && typeof Response === "function" && response instanceof Response
    && /^application\/wasm\s*$/i.test(response.headers.get("content-type") ?? "");
}

function isUrl(input: object): input is UrlLike {
  return typeof (input as Partial<UrlLike>).href === "string";
}

function isResponse(input: object): input is ResponseLike {
  return typeof (input as Partial<ResponseLike>).arrayBuffer === "function" && "status" in input;
}

// Not instanceof: a buffer may come from another realm.
function isBytes(input: object): input is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(input) || Object.prototype.toString.call(input) === "[object ArrayBuffer]";
}
