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
