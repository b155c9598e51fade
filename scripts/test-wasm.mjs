// npm run test:wasm: the shared tests of the core (tests/common) as WebAssembly in Node, Chromium and Firefox.
//
//   --only node|chromium|firefox   one of them, or several with commas between
//   --toolchain <way>              "rustup" or "debian" instead of the first that works
//   PLICA_TOOLS_DIR                where the command line tools are kept (target/tools)
//
// What is missing is installed: browsers and their drivers by apt-get for root on Debian, the rest by cargo.

import { join, resolve } from "node:path";
import { findToolchain } from "./toolchain.mjs";
import { WASM_TARGET, fail, main, option, run, step, tryRun, which } from "./util.mjs";
import { crateInfo, installTool, wasmBindgenTool } from "./wasm.mjs";

// Debian has no package of geckodriver; crates.io has its source.
const RUNTIMES = {
  node: { test: "node", needs: [] },
  chromium: { test: "browser", driver: "CHROMEDRIVER", needs: [debian("chromium"), debian("chromedriver", "chromium-driver")] },
  firefox: { test: "browser", driver: "GECKODRIVER", needs: [debian("firefox-esr"), cargo("geckodriver")] },
};

await main(async () => {
  const chosen = choose(option("only", Object.keys(RUNTIMES).join(",")).split(",").filter(Boolean));
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
  const failures = [];
  for (const name of chosen) if (!(await runTests(name, { crate, toolsDir, toolchain }))) failures.push(name);
  if (failures.length > 0) fail(`tests failed in ${failures.join(", ")}`);
});

function choose(names) {
  const unknown = names.find((name) => !(name in RUNTIMES));
  if (unknown !== undefined) fail(`there is no runtime "${unknown}"; there are ${Object.keys(RUNTIMES).join(", ")}`);
  return names;
}

/** Runs the tests in one runtime and prints how many passed; false when they did not all pass. */
function runTests(name, { crate, toolsDir, toolchain }) {
  const { test, driver, needs } = RUNTIMES[name];
  return step(name, () => {
    const paths = needs.map((need) => need(toolsDir));
    const env = { ...testEnvironment({ crate, toolsDir, toolchain }), ...(driver ? { [driver]: paths.at(-1) } : {}) };
    const args = ["test", "--locked", "--package", crate.name, "--target", WASM_TARGET, "--test", test, ...toolchain.cargoArgs];
    const { passed, output } = attempt(args, env);
    if (passed === undefined) console.error(output);
    return { value: passed !== undefined, text: passed === undefined ? "FAILED" : `${passed} passed` };
  });
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
    // A browser that starts on a loaded machine takes longer than the runner's own patience.
    WASM_BINDGEN_TEST_TIMEOUT: "120",
  };
  // One driver in the environment decides for its browser; with several the runner would take the first.
  for (const name of ["RUSTFLAGS", "CHROMEDRIVER", "GECKODRIVER", "SAFARIDRIVER"]) delete env[name];
  return env;
}

function attempt(args, env) {
  try {
    const output = run("cargo", args, { env });
    const counts = /test result: ok\. (\d+) passed; 0 failed/.exec(output);
    // No count, or none that ran, means that the tests were not found: no success.
    return Number(counts?.[1] ?? 0) > 0 ? { passed: Number(counts[1]), output } : { output };
  } catch (error) {
    return { output: error.message };
  }
}

// --- what has to be there ---------------------------------------------------------------------------------------------

/** A command of a Debian package; returns its path. */
function debian(command, packageName = command) {
  return () => which(command) ?? install(command, packageName);
}

function install(command, packageName) {
  const steps = [["update"], ["install", "-y", "--no-install-recommends", packageName]];
  const line = steps.map((args) => `apt-get ${args.join(" ")}`).join(" && ");
  if (!which("apt-get")) fail(`${command} is not installed and there is no apt-get here; install it and make sure that it is on the PATH`);
  if (process.getuid?.() !== 0) fail(`${command} is not installed. Run as root\n  ${line}`);
  for (const args of steps) run("apt-get", args, { env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  return which(command) ?? fail(`${packageName} was installed, but there is still no ${command}`);
}

/** A command of a crate, on the PATH or in the folder of tools; returns its path. */
function cargo(command) {
  return (toolsDir) => {
    const own = join(toolsDir, "bin", command);
    if (tryRun(own, ["--version"]) !== undefined) return own;
    const found = which(command);
    if (found) return found;
    installTool(command, { toolsDir });
    return own;
  };
}
