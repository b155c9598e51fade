// The declarations of the package: what a page uses of the element, and nothing of what it is made of.

/** What can be opened: a file's bytes or text, or messages (a value that has a JSON form). */
export type Source = Blob | ArrayBuffer | Uint8Array | string | object;

/** Where the files beside the element are. */
export interface Places {
  worker: URL | string;
  core: URL | string;
}

/** What the main part shows: all messages, those of the window, or a fold (counted from 0) and what it stands for. */
export type View = { kind: "session" } | { kind: "window" } | { kind: "fold"; fold: number; deep: boolean };

/** How a source is opened. */
export interface OpenOptions {
  /** Shown as its name; a file's own by default. */
  name?: string;
  /** The ledger that came with it. */
  ledger?: Source;
  /** Which branch of a session that has several. */
  branch?: string;
}

/** Details of the event `plica-open`. */
export interface OpenDetail {
  name: string;
  kind: string;
  messages: number;
  folds: number;
}

/** Details of the event `plica-error`, and members of the error that `open` rejects with. */
export interface ErrorDetail {
  code: string;
  message: string;
}

/** Details of the event `plica-select`. */
export interface SelectDetail {
  /** The message that is looked at, counted from 0. */
  item: number;
}

/** The element's own events, beside those of every element. They bubble, and leave shadow roots. */
export interface PlicaViewerEventMap extends HTMLElementEventMap {
  "plica-open": CustomEvent<OpenDetail>;
  "plica-error": CustomEvent<ErrorDetail>;
  "plica-select": CustomEvent<SelectDetail>;
}

/**
 * The viewer as an element. It fills the box that it is given; text of a transcript never runs in it, and it sends nothing
 * anywhere.
 *
 * @fires plica-open - `detail` is {@link OpenDetail}
 * @fires plica-error - `detail` is {@link ErrorDetail}
 * @fires plica-select - `detail` is {@link SelectDetail}
 * @example
 * <plica-viewer src="/sessions/today.jsonl"></plica-viewer>
 * @example
 * await document.querySelector("plica-viewer").open(file, { ledger });
 */
export declare class PlicaViewer extends HTMLElement {
  /** Address of a session on the same origin; the attribute is `src`, too. */
  src: string | null;
  /** Address of the ledger that belongs to it; the attribute is `ledger`. */
  ledgerSrc: string | null;
  /** `light`, `dark`, or as the system has it. */
  theme: string | null;
  /** Where the worker and the core are, when a bundler put them elsewhere: set it before the first file is opened. */
  places: Places;
  /** The address that reopens a message, counted from 0: what "copy link" copies. */
  linkTo: (item: number) => string;
  /** The message that is looked at, counted from 0. */
  get item(): number;
  /** What the main part shows. */
  get view(): View;
  set view(view: View);
  /**
   * Opens a session. Rejects with an error that has the members of {@link ErrorDetail}; what was open stays open.
   *
   * @param source a file, bytes, text, or messages.
   */
  open(source: Source, options?: OpenOptions): Promise<void>;
  /**
   * Opens what was dropped or pasted: files, or text. For pages that take drops and pastes beside the element as well; says whether
   * there was something to open.
   */
  take(given: DataTransfer): boolean;
  /** Acts on the keys of the viewer (`/`, `f`, …). For pages that hand on what is pressed beside the element as well. */
  press(event: KeyboardEvent): void;
  /** Shows a message, counted from 0. */
  goTo(item: number): void;

  addEventListener<K extends keyof PlicaViewerEventMap>(type: K, listener: (this: PlicaViewer, event: PlicaViewerEventMap[K]) => unknown, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<K extends keyof PlicaViewerEventMap>(type: K, listener: (this: PlicaViewer, event: PlicaViewerEventMap[K]) => unknown, options?: boolean | EventListenerOptions): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap {
    "plica-viewer": PlicaViewer;
  }
}
