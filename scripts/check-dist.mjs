// npm run check:dist: is the committed pkg/dist what the sources make?
//
//   --tests a,b        Node test files to run against a rebuilt dist that cannot be compared byte by byte; they find it in the
//                      environment variable PLICA_DIST
//   --toolchain <way>  handed on to the build
//
// Built with the tools that BUILD.json names, a rebuild must be the same byte for byte. With other tools only behaviour can
// be compared.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MANIFEST_FILE, sourceDigest } from "./manifest.mjs";
import { ROOT, fail, listFiles, main, option, run, sha256 } from "./util.mjs";

const DIST = join(ROOT, "pkg/dist");
const REMEDY = 'Run "npm run build" and commit pkg/dist.';

await main(() => {
  const recorded = readManifest(DIST);
  if (recorded.sources !== sourceDigest()) fail(`pkg/dist is stale: the sources have changed since it was built. ${REMEDY}`);
  refuseTampering(recorded);
  refuseChangedExports(() => {
    const folder = mkdtempSync(join(tmpdir(), "plica-dist-"));
    try {
      const rebuilt = rebuild(folder);
      if (sameTools(recorded.tools, rebuilt.tools)) compareBytes(recorded, rebuilt);
      else compareBehaviour(recorded, rebuilt, folder);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

function readManifest(folder) {
  const path = join(folder, MANIFEST_FILE);
  if (!existsSync(path)) fail(`there is no ${MANIFEST_FILE} in pkg/dist. ${REMEDY}`);
  return JSON.parse(readFileSync(path, "utf8"));
}

/** The files must be those that the manifest beside them lists. */
function refuseTampering(recorded) {
  const present = listFiles(DIST).filter((path) => path !== MANIFEST_FILE);
  const altered = [
    ...Object.keys(recorded.files).filter((path) => !present.includes(path)).map((path) => `${path} is missing`),
    ...present.filter((path) => !(path in recorded.files)).map((path) => `${path} is not listed`),
    ...present.filter((path) => path in recorded.files && recorded.files[path] !== sha256(readFileSync(join(DIST, path))))
      .map((path) => `${path} was altered`),
  ];
  if (altered.length > 0) fail(`pkg/dist is not what ${MANIFEST_FILE} lists: ${altered.join(", ")}. ${REMEDY}`);
}

/** The build brings package.json's exports up to date: a check must not have anything to bring, and leaves the file alone. */
function refuseChangedExports(body) {
  const path = join(ROOT, "pkg/package.json");
  const before = readFileSync(path, "utf8");
  body();
  if (readFileSync(path, "utf8") !== before) fail(`the exports in pkg/package.json were out of date and have been rewritten. Commit the file.`);
}

function rebuild(folder) {
  const way = option("toolchain");
  run(process.execPath, [join(ROOT, "scripts/build.mjs"), "--out", folder, ...(way ? ["--toolchain", way] : [])]);
  return readManifest(folder);
}

function sameTools(a, b) {
  return JSON.stringify(a) === JSON.stringify(b);
}

function compareBytes(recorded, rebuilt) {
  const names = [...new Set([...Object.keys(recorded.files), ...Object.keys(rebuilt.files)])].sort();
  const different = names.filter((name) => recorded.files[name] !== rebuilt.files[name]);
  if (different.length > 0) {
    fail(`pkg/dist is stale: a rebuild with the same tools differs in ${different.join(", ")}. ${REMEDY}`);
  }
  console.log(`pkg/dist is up to date: ${names.length} files, byte for byte`);
}

function compareBehaviour(recorded, rebuilt, folder) {
  const other = Object.keys(rebuilt.tools)
    .filter((tool) => recorded.tools[tool] !== rebuilt.tools[tool])
    .map((tool) => `${tool} (built with ${recorded.tools[tool]}, here ${rebuilt.tools[tool]})`);
  console.log(`bytes cannot be compared, other tools: ${other.join(", ")}`);
  const missing = Object.keys(recorded.files).filter((name) => !(name in rebuilt.files));
  const added = Object.keys(rebuilt.files).filter((name) => !(name in recorded.files));
  if (missing.length + added.length > 0) fail(`pkg/dist is stale: a rebuild has other files: ${[...missing, ...added].join(", ")}. ${REMEDY}`);
  // Declarations do not depend on the Rust compiler: here a drift between the core's types and the face's shows.
  const drifted = Object.keys(rebuilt.files).filter((name) => /\.d\.c?ts$/.test(name) && recorded.files[name] !== rebuilt.files[name]);
  if (drifted.length > 0) fail(`pkg/dist is stale: the declarations ${drifted.join(", ")} differ from a rebuild. ${REMEDY}`);
  const tests = option("tests", "").split(",").filter(Boolean);
  if (tests.length === 0) return console.log("pkg/dist was built from these sources; no tests were given, so its behaviour was not compared");
  for (const dist of [DIST, folder]) {
    run(process.execPath, ["--test", ...tests], { env: { ...process.env, PLICA_DIST: dist } });
  }
  return console.log(`pkg/dist was built from these sources, and ${tests.length} test file(s) pass against it and against the rebuild`);
}
