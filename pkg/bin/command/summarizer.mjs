// A program as summarizer: gets the request on its standard input, prints the summary.

import { spawn } from "node:child_process";

/** The longest that a timer can wait. */
const LONGEST_MS = 2 ** 31 - 1;

/** How long output may still come after the program has ended. */
const GRACE_MS = 500;

/** More than any summary; stops a program that never ends. */
const MOST_OUTPUT = 16e6;

/**
 * The text that the program prints, or why there is none.
 * @param {string} command run by the shell
 * @param {{ system: string, prompt: string }} request
 * @param {number} seconds
 * @returns {Promise<{ summary?: string, failure?: string }>}
 */
export function runSummarizer(command, request, seconds) {
  return new Promise((done) => {
    const child = spawn(command, { shell: true, stdio: ["pipe", "pipe", "inherit"], detached: process.platform !== "win32" });
    /** @type {Buffer[]} */
    const chunks = [];
    let size = 0;
    // In a group of its own, so that all it started can be ended; then the terminal's signals have to be handed on.
    const interrupted = (signal) => {
      kill(child);
      process.exit(signal === "SIGINT" ? 130 : 143);
    };
    process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
    const timer = setTimeout(() => stop(`took longer than ${seconds} s`), Math.min(seconds * 1000, LONGEST_MS));
    let grace;

    child.stdout.on("data", (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_OUTPUT) stop("printed more than 16 MB");
    });
    child.on("error", (error) => finish({ failure: `could not be started (${error.message})` }));
    child.on("close", ended);
    // Something that it left in the background may hold the pipe open for long.
    child.on("exit", (code, signal) => (grace = setTimeout(() => ended(code, signal), GRACE_MS)));
    // A program that does not read its input closes it early; what it prints counts all the same.
    child.stdin.on("error", () => {});
    child.stdin.end(`${request.system}\n\n${request.prompt}`);

    function ended(code, signal) {
      if (code !== 0) return finish({ failure: `ended with ${code === null ? signal : `exit code ${code}`}` });
      finish(summaryOf(Buffer.concat(chunks)));
    }

    function stop(failure) {
      kill(child);
      finish({ failure });
    }

    function finish(answer) {
      clearTimeout(timer);
      clearTimeout(grace);
      process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
      child.stdout.destroy();
      done(answer);
    }
  });
}

function summaryOf(bytes) {
  let summary;
  try {
    summary = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { failure: "printed something that is no UTF-8 text" };
  }
  return summary.trim() === "" ? { failure: "printed nothing" } : { summary };
}

/** The shell and what it started. */
function kill(child) {
  try {
    if (child.pid !== undefined && process.platform !== "win32") process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
