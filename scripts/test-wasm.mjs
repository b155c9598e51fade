// npm run test:wasm: the shared tests of the core (tests/common) as WebAssembly in Node, Chromium and Firefox.
//
//   --only node|chromium|firefox   one of them, or several with commas between
//   --toolchain <way>              "rustup" or "debian" instead of the first that works
//   PLICA_TOOLS_DIR                where the command line tools are kept (target/tools)
//   CHROMIUM, FIREFOX              where the browsers are
//
// The runner serves its page and the browsers are driven as in the tests of the viewer: it could drive them itself, but Debian has no
// package of geckodriver, and to compile that took as long as the tests.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { join, resolve } from "node:path";
import { BROWSERS } from "../tests/support/browsers.mjs";
import { findToolchain } from "./toolchain.mjs";
import { WASM_TARGET, fail, main, option, run, step } from "./util.mjs";
import { crateInfo, wasmBindgenTool } from "./wasm.mjs";

const RUNTIMES = ["node", ...BROWSERS.map(({ name }) => name)];

/** So long, in ms, the tests of a page may take. */
const PATIENCE = 180_000;

await main(async () => {
  const chosen = choose(option("only", RUNTIMES.join(",")).split(",").filter(Boolean));
  const crate = crateInfo();
  const toolsDir = resolve(process.env.PLICA_TOOLS_DIR ?? join(crate.targetDir, "tools"));
  const toolchain = await step("toolchain", async () => {
    const value = await findToolchain({ toolsDir, way: option("toolchain") });
    return { value, text: `${value.way}: ${value.rustc}` };
  });
  await step("runner", () => {
    const { version, fresh } = wasmBindgenTool({ toolsDir });
    return { text: `wasm-bindgen ${version}, ${fresh ? "installed now" : "found"}` };
  });
  const cargo = {
    argsOf: (test) => ["test", "--locked", "--package", crate.name, "--target", WASM_TARGET, "--test", test, ...toolchain.cargoArgs],
    env: testEnvironment({ crate, toolsDir, toolchain }),
  };
  const failures = [];
  const tell = (name, { passed, output }) => {
    if (passed === undefined) failures.push(name);
    if (passed === undefined) console.error(output);
    return { text: passed === undefined ? "FAILED" : `${passed} passed` };
  };
  if (chosen.includes("node")) await step("node", () => tell("node", inNode(cargo)));
  const browsers = BROWSERS.filter(({ name }) => chosen.includes(name));
  if (browsers.length > 0) {
    const page = await step("page of the tests", async () => ({ value: await served(cargo), text: "served" }));
    try {
      for (const browser of browsers) await step(browser.name, async () => tell(browser.name, await inBrowser(browser, page.url)));
    } finally {
      page.close();
    }
  }
  if (failures.length > 0) fail(`tests failed in ${failures.join(", ")}`);
});

function choose(names) {
  const unknown = names.find((name) => !RUNTIMES.includes(name));
  if (unknown !== undefined) fail(`there is no runtime "${unknown}"; there are ${RUNTIMES.join(", ")}`);
  return names;
}

/** The environment of `cargo test`: only here, so that tools of the host are never built with it. */
function testEnvironment({ crate, toolsDir, toolchain }) {
  const env = {
    ...process.env,
    ...toolchain.env,
    CARGO_TARGET_DIR: crate.targetDir,
    // As in the build, so that the SIMD paths are tested that are shipped.
    CARGO_ENCODED_RUSTFLAGS: "-Ctarget-feature=+simd128",
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER: join(toolsDir, "bin/wasm-bindgen-test-runner"),
  };
  delete env.RUSTFLAGS;
  return env;
}

/** How many passed, undefined when not all did: no count, or none that ran, means that the tests were not found. */
function counted(output) {
  const counts = /test result: ok\. (\d+) passed; 0 failed/.exec(output);
  return { passed: Number(counts?.[1] ?? 0) > 0 ? Number(counts[1]) : undefined, output };
}

function inNode({ argsOf, env }) {
  try {
    return counted(run("cargo", argsOf("node"), { env }));
  } catch (error) {
    return { output: error.message };
  }
}

/** The page with the tests, as long as it is not closed. */
async function served({ argsOf, env }) {
  // A group of its own: the runner is a child of cargo's, and outlives it.
  const server = spawn("cargo", argsOf("browser"), { env: { ...env, NO_HEADLESS: "1", WASM_BINDGEN_TEST_ADDRESS: "127.0.0.1:0" }, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const close = () => {
    try {
      process.kill(-server.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  process.once("exit", close);
  // Of another group it is not told that somebody has stopped this one.
  process.once("SIGINT", () => process.exit(130));
  const said = [];
  server.stderr.on("data", (text) => said.push(String(text)));
  const url = await new Promise((found, lost) => {
    createInterface({ input: server.stdout }).on("line", (line) => {
      said.push(`${line}\n`);
      const address = /available at (http:\/\/[\d.:]+)/.exec(line)?.[1];
      if (address) found(address);
    });
    server.once("error", lost);
    server.once("exit", () => lost(new Error(said.join(""))));
  });
  return { url, close };
}

async function inBrowser({ missing, launch }, url) {
  if (missing) return { output: missing };
  const browser = await launch();
  try {
    const page = await browser.newPage();
    await page.goto(url);
    const output = () => page.evaluate(() => document.getElementById("output")?.textContent ?? "");
    for (const end = Date.now() + PATIENCE; Date.now() < end; await new Promise((done) => setTimeout(done, 200))) {
      const text = await output();
      if (/test result: /.test(text)) return counted(text);
    }
    return { output: `no result after ${PATIENCE / 1000} s: ${await output()}` };
  } finally {
    await browser.close();
  }
}
