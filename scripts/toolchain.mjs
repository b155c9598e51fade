// Finds a Rust toolchain that can build for wasm32-unknown-unknown.
//
// The plain way is rustup's own standard library for the target. Where it is absent and cannot be downloaded, Debian's
// compiler with its library sources builds the standard library along with the crate (-Zbuild-std).

import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { BuildError, WASM_TARGET, fail, run, runBounded, tryRun, which } from "./util.mjs";

const DEBIAN_RUSTC = "/usr/bin/rustc";
const DEBIAN_PACKAGES = ["rustc-web", "rust-web-src"];
const RUSTUP_PATIENCE_MS = 20_000;

/**
 * @typedef {object} Toolchain
 * @property {"rustup" | "debian"} way
 * @property {string} rustc        first line of `rustc --version`
 * @property {string[]} cargoArgs  what `cargo build` needs beyond the ordinary
 * @property {Record<string, string>} env  only for the wasm build, never for host tools
 * @property {[string, string][]} remap    where the standard library's sources are on this machine, and what to call them
 */

/** @returns {Promise<Toolchain>} */
export async function findToolchain({ toolsDir, probe = false, way }) {
  if (way === "debian") return debianWay();
  const plain = await plainWay(toolsDir, probe);
  if (way === "rustup") return plain ?? fail(`rustup has no ${WASM_TARGET} and could not add it`);
  return plain ?? debianWay();
}

async function plainWay(toolsDir, probe) {
  const rustc = process.env.RUSTC ?? "rustc";
  const version = tryRun(rustc, ["-vV"]);
  if (version === undefined) return undefined;
  if (!hasTarget(rustc) && !(await addTarget(rustc, version, toolsDir, probe))) return undefined;
  return { way: "rustup", rustc: firstLine(version), cargoArgs: [], env: {}, remap: [] };
}

function hasTarget(rustc) {
  const sysroot = tryRun(rustc, ["--print", "sysroot"])?.trim();
  return sysroot !== undefined && existsSync(join(sysroot, "lib/rustlib", WASM_TARGET, "lib"));
}

// rustup may hang for minutes where it cannot download, so it is given a bound, and a failure is remembered for this
// compiler: warm builds do not wait again. `--probe`, or deleting target/, asks anew.
async function addTarget(rustc, version, toolsDir, probe) {
  if (!which("rustup")) return false;
  const memory = join(toolsDir, "rustup-cannot-add-the-target");
  if (!probe && existsSync(memory) && readFileSync(memory, "utf8") === version) return false;
  const added = await runBounded("rustup", ["target", "add", WASM_TARGET], RUSTUP_PATIENCE_MS);
  if (added && hasTarget(rustc)) return true;
  mkdirSync(toolsDir, { recursive: true });
  writeFileSync(memory, version);
  return false;
}

function debianWay() {
  if (!debianSources()) installDebianPackages(DEBIAN_PACKAGES);
  const sources = debianSources() ?? fail(`${DEBIAN_RUSTC} has no library sources even after installing ${DEBIAN_PACKAGES.join(" ")}`);
  const version = run(DEBIAN_RUSTC, ["-vV"]);
  const commit = /^commit-hash: ([0-9a-f]+)$/m.exec(version)?.[1] ?? /^release: (.+)$/m.exec(version)[1];
  return {
    way: "debian",
    rustc: firstLine(version),
    cargoArgs: ["-Zbuild-std=std,panic_abort"],
    env: {
      RUSTC: DEBIAN_RUSTC,
      RUSTDOC: "/usr/bin/rustdoc",
      RUSTC_BOOTSTRAP: "1",
      CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER: findLinker(),
    },
    // The name under which rustup's compilers know the same sources.
    remap: [sources, realpathSync(sources)].map((path) => [path, `/rustc/${commit}`]),
  };
}

function debianSources() {
  if (!existsSync(DEBIAN_RUSTC)) return undefined;
  const sysroot = tryRun(DEBIAN_RUSTC, ["--print", "sysroot"])?.trim();
  if (sysroot === undefined) return undefined;
  const sources = join(sysroot, "lib/rustlib/src/rust");
  return existsSync(join(sources, "library/std/Cargo.toml")) ? sources : undefined;
}

function installDebianPackages(packages) {
  const command = `apt-get update && apt-get install -y --no-install-recommends ${packages.join(" ")}`;
  if (!which("apt-get")) {
    fail(`no Rust standard library for ${WASM_TARGET}. Install it with\n  rustup target add ${WASM_TARGET}\nand build again.`);
  }
  if (process.getuid?.() !== 0) {
    fail(`no Rust standard library for ${WASM_TARGET}. Run as root\n  ${command}\nor, where rustup can download,\n  rustup target add ${WASM_TARGET}\nand build again.`);
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  try {
    run("apt-get", ["update"], { env });
    run("apt-get", ["install", "-y", "--no-install-recommends", ...packages], { env });
  } catch (error) {
    if (error instanceof BuildError) error.message = `${command}\ndid not work: ${error.message}`;
    throw error;
  }
}

// Debian's compiler ships without rust-lld; rustup's toolchains bring one, Debian's package "lld" another.
function findLinker() {
  const found = process.env.CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER ?? rustupLinker() ?? which("rust-lld") ?? llvmLinker();
  if (found) return found;
  installDebianPackages(["lld"]);
  return llvmLinker() ?? fail("no linker for wasm: neither rust-lld nor wasm-ld was found");
}

function rustupLinker() {
  const sysroot = tryRun("rustc", ["--print", "sysroot"])?.trim();
  const host = /^host: (.+)$/m.exec(tryRun("rustc", ["-vV"]) ?? "")?.[1];
  if (!sysroot || !host) return undefined;
  const path = join(sysroot, "lib/rustlib", host, "bin/rust-lld");
  return existsSync(path) ? path : undefined;
}

function llvmLinker() {
  const onPath = which("wasm-ld");
  if (onPath) return onPath;
  if (!existsSync("/usr/lib")) return undefined;
  return readdirSync("/usr/lib")
    .filter((name) => /^llvm-\d+$/.test(name))
    .sort((a, b) => Number(b.slice(5)) - Number(a.slice(5)))
    .map((name) => join("/usr/lib", name, "bin/wasm-ld"))
    .find((path) => existsSync(path));
}

function firstLine(text) {
  return text.slice(0, text.indexOf("\n"));
}

/** The folder of cargo's own files. */
export function cargoHome() {
  return process.env.CARGO_HOME ?? join(homedir(), ".cargo");
}
