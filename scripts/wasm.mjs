// Rust crate → optimised .wasm and wasm-bindgen's raw output.

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { cargoHome } from "./toolchain.mjs";
import { ROOT, WASM_TARGET, fail, run, runPackageBin, tryRun } from "./util.mjs";

// Named one by one: `--all-features` makes binaryen emit encodings that Node 20 refuses. These are what every supported
// runtime has.
const WASM_FEATURES = [
  "bulk-memory", "bulk-memory-opt", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types",
  "multivalue", "simd",
];

/** What cargo knows about the crate: its name and where things are. */
export function crateInfo() {
  const metadata = JSON.parse(run("cargo", ["metadata", "--format-version", "1", "--no-deps", "--locked"]));
  const crate = metadata.packages.find((entry) => entry.manifest_path === join(ROOT, "Cargo.toml"));
  if (!crate) fail("the Cargo.toml in the root is not a package");
  const library = crate.targets.find((target) => target.crate_types.includes("cdylib"));
  if (!library) fail(`the crate ${crate.name} has no cdylib target`);
  return { name: crate.name, library: library.name.replaceAll("-", "_"), targetDir: metadata.target_directory };
}

/** The exact version of a crate in Cargo.lock. */
export function lockedVersion(crate) {
  const lock = readFileSync(join(ROOT, "Cargo.lock"), "utf8");
  const versions = [...lock.matchAll(/^name = "(.+)"\nversion = "(.+)"$/gm)].filter((m) => m[1] === crate).map((m) => m[2]);
  if (versions.length !== 1) fail(`Cargo.lock holds ${versions.length} versions of ${crate}, expected exactly one`);
  return versions[0];
}

/** Compiles the crate; returns the path of the module as the linker made it. */
export function compile({ toolchain, crate }) {
  // Before the remapping is made: it names the folders of the registry's sources, which a first build does not have yet.
  run("cargo", ["fetch", "--locked"]);
  const flags = ["-Ctarget-feature=+simd128", ...remapFlags(toolchain, crate)];
  const env = { ...process.env, ...toolchain.env, CARGO_ENCODED_RUSTFLAGS: flags.join("\x1f"), CARGO_TARGET_DIR: crate.targetDir };
  delete env.RUSTFLAGS;
  run("cargo", [
    "build", "--locked", "--lib", "--package", crate.name, "--profile", "wasm", "--target", WASM_TARGET, ...toolchain.cargoArgs,
  ], { env });
  return join(crate.targetDir, WASM_TARGET, "wasm", `${crate.library}.wasm`);
}

// Panic messages hold source paths. Remapped, they say nothing about the machine and are the same from every checkout.
// Of two prefixes that match, rustc takes the later.
function remapFlags(toolchain, crate) {
  const prefixes = [
    [homedir(), "/home"], [cargoHome(), "/cargo"], [ROOT, `/${crate.name}`], [crate.targetDir, "/target"],
    ...registrySources().map((path) => [path, "/crates"]), ...toolchain.remap,
  ];
  return prefixes.map(([from, to]) => `--remap-path-prefix=${from}=${to}`);
}

function registrySources() {
  const base = join(cargoHome(), "registry/src");
  return existsSync(base) ? readdirSync(base).sort().map((name) => join(base, name)) : [];
}

/** The command line tool of the version that Cargo.lock pins, installed at need. */
export function wasmBindgenTool({ toolsDir }) {
  const version = lockedVersion("wasm-bindgen");
  const path = join(toolsDir, "bin", process.platform === "win32" ? "wasm-bindgen.exe" : "wasm-bindgen");
  if (tryRun(path, ["--version"])?.trim() === `wasm-bindgen ${version}`) return { path, version, fresh: false };
  // Without --locked: the lock file published with the tool may name yanked crates.
  installTool("wasm-bindgen-cli", { toolsDir, more: ["--version", version, "--force"] });
  return { path, version, fresh: true };
}

/** Installs a command of a crate. It runs for seconds, so what counts is how long the compiler takes. */
function installTool(name, { toolsDir, more = [] }) {
  const env = { ...process.env, CARGO_PROFILE_RELEASE_OPT_LEVEL: "1", CARGO_PROFILE_RELEASE_LTO: "off", CARGO_PROFILE_RELEASE_CODEGEN_UNITS: "16", CARGO_PROFILE_RELEASE_DEBUG: "0" };
  run("cargo", ["install", name, "--root", toolsDir, ...more], { env });
}

/** Makes the glue; returns the folder with <name>.js, <name>.d.ts and <name>_bg.wasm. */
export function bind({ tool, module, crate }) {
  const folder = join(crate.targetDir, "plica-build/bindgen");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run(tool.path, [
    module, "--target", "web", "--omit-default-module-path", "--remove-producers-section", "--out-dir", folder,
    "--out-name", crate.library,
  ]);
  return {
    js: join(folder, `${crate.library}.js`), types: join(folder, `${crate.library}.d.ts`),
    wasm: join(folder, `${crate.library}_bg.wasm`),
  };
}

/** Optimises the module and makes sure that nothing of this machine is in it. */
export function optimise({ bound, crate }) {
  const output = join(crate.targetDir, "plica-build/optimised.wasm");
  // -O3, not -Oz: that would undo the inlining of the loops that are compiled for speed, for a few per cent of size.
  runPackageBin("binaryen", "wasm-opt", [
    bound.wasm, "-O3", "--strip-debug", "--strip-producers", "--strip-target-features", "-mvp",
    ...WASM_FEATURES.map((name) => `--enable-${name}`), "-o", output,
  ]);
  const bytes = readFileSync(output);
  refuseMachinePaths(bytes, crate);
  return bytes;
}

function refuseMachinePaths(bytes, crate) {
  for (const path of [ROOT, homedir(), cargoHome(), crate.targetDir, "registry/src", "rustlib/src"]) {
    const at = path.length > 1 ? bytes.indexOf(path) : -1;
    if (at >= 0) fail(`a path of this machine is in the module: "${bytes.subarray(at, at + 120).toString("latin1").split("\0")[0]}"`);
  }
}
