// The slim entry: what its `init` takes. A file of its own, because it is part of the published declarations, which must not
// name anything of the DOM or of WebAssembly: not every TypeScript configuration knows those.

/** What `fetch` gives, as far as it is needed. */
export interface ResponseLike {
  arrayBuffer(): Promise<ArrayBuffer>;
  readonly ok: boolean;
  readonly status: number;
}

/** A URL object, as far as it is needed. */
export interface UrlLike {
  readonly href: string;
}

/** A compiled `WebAssembly.Module`. (Declared loosely: not every TypeScript configuration knows WebAssembly.) */
export type WasmModule = object;

/** A compiled module, its bytes, a response that carries them, or where to fetch them. */
export type ModuleInput = WasmModule | ArrayBuffer | ArrayBufferView | ResponseLike | UrlLike | string;
