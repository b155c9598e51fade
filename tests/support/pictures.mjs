// Pictures of a page, compared with those that were looked at.
//
// A picture is averaged over squares of pixels: how letters are smoothed does not count, where things stand and what colour they
// have does. The references are in tests/pictures, one for each state and browser; PLICA_PICTURES=write makes them anew, and the
// pages in full size beside them (not committed), to be looked at.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), "../pictures");
const SQUARE = 8;
const WRITE = process.env.PLICA_PICTURES === "write";

/** A square that differs by more (of 255, the mean of three colours) is another one. Letters of another build of a browser stay below. */
const OTHER = 20;

/** So many squares of a hundred may be others. A panel, a row or a banner more or less is beyond it; see `apart`. */
const MOST = 1.5;

/** Takes the picture of a page: averages of squares, and the file in full size. */
export async function picture(page) {
  const file = await page.screenshot({ type: "png" });
  return squares(page, file);
}

/** The picture of a state, and that which it is compared with. */
export async function compared(page, name) {
  const [now, path] = [await picture(page), join(FOLDER, `${name}.png`)];
  if (WRITE) {
    mkdirSync(join(FOLDER, "full"), { recursive: true });
    writeFileSync(path, Buffer.from(now.small, "base64"));
    writeFileSync(join(FOLDER, "full", `${name}.png`), now.file);
  }
  const then = existsSync(path) ? await squares(page, readFileSync(path), 1) : undefined;
  return { now, then };
}

/** How many squares of a hundred differ; 100 for pictures of different size. */
export function difference(a, b) {
  if (a.width !== b.width || a.height !== b.height) return 100;
  const others = a.values.filter((_, i) => i % 3 === 0 && (Math.abs(a.values[i] - b.values[i]) + Math.abs(a.values[i + 1] - b.values[i + 1]) + Math.abs(a.values[i + 2] - b.values[i + 2])) / 3 > OTHER);
  return (others.length * 300) / a.values.length;
}

/** Whether two pictures are of different states. */
export const apart = (a, b) => difference(a, b) > MOST;

/** Reads a PNG with the browser's own decoder, on a page without a policy, and averages its squares. */
async function squares(page, file, size = SQUARE) {
  const reader = await page.browser().newPage();
  try {
    const made = await reader.evaluate(async (base64, square) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const [width, height] = [Math.floor(image.naturalWidth / square), Math.floor(image.naturalHeight / square)];
      const canvas = Object.assign(document.createElement("canvas"), { width: width * square, height: height * square });
      const context = canvas.getContext("2d", { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const values = [];
      const small = Object.assign(document.createElement("canvas"), { width, height });
      const pixels = small.getContext("2d").createImageData(width, height);
      for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) {
        for (let colour = 0; colour < 3; colour++) {
          let sum = 0;
          for (let dy = 0; dy < square; dy++) for (let dx = 0; dx < square; dx++) sum += data[((y * square + dy) * canvas.width + x * square + dx) * 4 + colour];
          const value = Math.round(sum / (square * square));
          values.push(value);
          pixels.data[(y * width + x) * 4 + colour] = value;
        }
        pixels.data[(y * width + x) * 4 + 3] = 255;
      }
      small.getContext("2d").putImageData(pixels, 0, 0);
      return { width, height, values, small: small.toDataURL("image/png").split(",")[1] };
    }, Buffer.from(file).toString("base64"), size);
    return { ...made, file };
  } finally {
    await reader.close();
  }
}
