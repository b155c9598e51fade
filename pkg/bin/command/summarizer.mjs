// A program as summarizer: gets the request on its standard input, prints the summary.

import { spawn } from "node:child_process";

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
    let ended = "";
    const stop = (why) => {
      ended ||= why;
      kill(child);
    };
    const timer = setTimeout(() => stop(`took longer than ${seconds} s`), seconds * 1000);
    child.stdout.on("data", (chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MOST_OUTPUT) stop("printed more than 16 MB");
    });
    child.on("error", (error) => finish({ failure: `could not be started (${error.message})` }));
    child.on("close", (code, signal) => {
      if (ended) return finish({ failure: ended });
      if (code !== 0) return finish({ failure: `ended with ${code === null ? signal : `exit code ${code}`}` });
      const summary = new TextDecoder().decode(Buffer.concat(chunks));
      finish(summary.trim() === "" ? { failure: "printed nothing" } : { summary });
    });
    // A program that does not read its input closes it early; what it prints counts all the same.
    child.stdin.on("error", () => {});
    child.stdin.end(`${request.system}\n\n${request.prompt}`);

    function finish(answer) {
      clearTimeout(timer);
      done(answer);
    }
  });
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
