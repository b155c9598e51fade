// The strip: one bar a message, as high as the square root of its tokens, in the colour of its fate. A few very long messages
// do not flatten the rest: they reach the top and no further.

/**
 * @typedef {{ tokens: Uint32Array, fateOf(index: number): string, cut: number | undefined }} Bars
 */

export class Strip {
  /** @type {Bars | undefined} */
  #bars;
  /** Messages on the screen. */
  #seen = { first: 0, last: 0 };
  #frame = 0;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {HTMLElement} tip
   * @param {{ describe(index: number): string, pick(index: number): void }} page
   */
  constructor(canvas, tip, page) {
    this.canvas = canvas;
    this.tip = tip;
    this.page = page;
    canvas.addEventListener("pointermove", (event) => this.#point(event));
    canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
    canvas.addEventListener("click", (event) => page.pick(this.#indexAt(event.offsetX)));
    new ResizeObserver(() => this.#soon()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#soon());
  }

  /** @param {Bars} bars */
  show(bars) {
    this.#bars = bars;
    this.#soon();
  }

  /** Marks the messages on the screen. @param {number} first @param {number} last */
  mark(first, last) {
    this.#seen = { first, last };
    this.#soon();
  }

  #soon() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.#draw();
    });
  }

  #draw() {
    const bars = this.#bars;
    const context = this.canvas.getContext("2d");
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!bars || !context || width === 0) return;
    const scale = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    context.scale(scale, scale);
    const colour = palette(this.canvas);
    const n = bars.tokens.length;
    const from = (this.#seen.first / n) * width;
    const to = ((this.#seen.last + 1) / n) * width;
    context.fillStyle = colour("--seen");
    context.fillRect(from, 0, Math.max(2, to - from), height);
    this.#drawBars(context, bars, colour, width, height - 2);
    if (bars.cut === undefined) return;
    context.fillStyle = colour("--digest");
    context.fillRect(Math.round((bars.cut / n) * width) - 1, 0, 2, height);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Bars} bars
   * @param {(name: string) => string} colour
   * @param {number} width
   * @param {number} height
   */
  #drawBars(context, { tokens, fateOf }, colour, width, height) {
    const n = tokens.length;
    const bins = Math.min(n, Math.floor(width / 2));
    const top = Math.sqrt(usual(tokens) * 1.5);
    const gap = width / bins >= 4 ? 1 : 0;
    for (let bin = 0; bin < bins; bin++) {
      const from = Math.floor((bin * n) / bins);
      const highest = largest(tokens, from, Math.max(from + 1, Math.floor(((bin + 1) * n) / bins)));
      const high = Math.min(height, Math.max(1.5, (Math.sqrt(tokens[highest] ?? 0) / top) * height));
      const x = (bin * width) / bins;
      context.fillStyle = colour(`--${fateOf(highest)}`);
      context.fillRect(x, height + 2 - high, width / bins - gap, high);
    }
  }

  /** @param {number} x */
  #indexAt(x) {
    const n = this.#bars?.tokens.length ?? 0;
    return Math.min(n - 1, Math.max(0, Math.floor((x / this.canvas.clientWidth) * n)));
  }

  /** @param {PointerEvent} event */
  #point({ offsetX, pointerType }) {
    if (!this.#bars || pointerType === "touch") return;
    this.tip.textContent = this.page.describe(this.#indexAt(offsetX));
    this.tip.hidden = false;
    const half = this.tip.offsetWidth / 2;
    const x = Math.min(this.canvas.clientWidth - half, Math.max(half, offsetX));
    this.tip.style.left = `${x - half}px`;
  }
}

/** A number that nearly all do not exceed. @param {Uint32Array} numbers */
function usual(numbers) {
  const sorted = numbers.slice().sort();
  return Math.max(1, sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 1);
}

/** The index of the largest number in a range. @param {Uint32Array} numbers @param {number} from @param {number} to */
function largest(numbers, from, to) {
  let best = from;
  for (let i = from + 1; i < to; i++) if ((numbers[i] ?? 0) > (numbers[best] ?? 0)) best = i;
  return best;
}

/** Colours by the name of their variable, each looked up once. @param {Element} element */
function palette(element) {
  const style = getComputedStyle(element);
  /** @type {Map<string, string>} */
  const known = new Map();
  return (/** @type {string} */ name) => {
    const colour = known.get(name) ?? (style.getPropertyValue(name).trim() || "gray");
    known.set(name, colour);
    return colour;
  };
}
