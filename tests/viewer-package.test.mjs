// The viewer as a package: what is packed and nothing else, the same bytes each time, a licence for all that is bundled, declarations
// that agree with the element, sizes. What other projects make of it: scripts/consumers-viewer.mjs.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const WWW = join(ROOT, "www");
const README = readFileSync(join(WWW, "README.md"), "utf8");
const require = createRequire(import.meta.url);
const esbuild = await import("esbuild").catch(() => undefined);
const missing = !esbuild ? "esbuild is not installed" : !existsSync(join(ROOT, "pkg/dist/plica.wasm")) ? "pkg/dist is not built" : undefined;
if (missing) console.log(`# viewer-package: skipped, ${missing}`);

const PACKED = [
  "LICENSE-APACHE", "LICENSE-MIT", "README.md",
  "dist/THIRD-PARTY-NOTICES.txt",
  "dist/examples/folded-three-times.json", "dist/examples/folded-three-times.ledger.json", "dist/examples/garden-planner.jsonl", "dist/examples/stored-with-spans.json",
  "dist/index.html", "dist/page.css", "dist/page.js",
  "dist/plica.wasm", "dist/react.d.ts", "dist/serve.d.ts", "dist/viewer.d.ts", "dist/viewer.js", "dist/worker.js",
  "package.json", "serve.mjs",
];

/** The most that a script may weigh, gzipped, in bytes: what is above is a decision and no accident. */
const BUDGET = { "viewer.js": 122_000, "worker.js": 46_000, "page.js": 1_500 };

describe("the viewer's package", { skip: missing }, () => {
  const folder = mkdtempSync(join(tmpdir(), "plica-viewer-package-"));
  const dist = join(folder, "first");
  /** @type {any} */ let own;
  before(async () => {
    own = await import("../www/build.mjs");
    await own.build({ out: dist });
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const files = (path) => readdirSync(path, { recursive: true }).map(String).filter((name) => statSync(join(path, name)).isFile()).map((name) => name.replaceAll("\\", "/")).sort();
  const text = (name) => readFileSync(join(dist, name), "utf8");

  test("it holds these files", () => {
    const output = execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: WWW, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const [{ files: packed }] = Object.values(JSON.parse(output));
    assert.deepEqual(packed.map(({ path }) => path).sort(), [...PACKED].sort());
    assert.deepEqual(files(dist), PACKED.filter((name) => name.startsWith("dist/")).map((name) => name.slice(5)).sort());
    const { exports, main, types, files: listed } = JSON.parse(readFileSync(join(WWW, "package.json"), "utf8"));
    const named = JSON.stringify([exports, main, types]).match(/\.\/[\w./-]+\.\w+/g).map((path) => path.slice(2)).filter((path) => PACKED.includes(path));
    assert.equal(new Set(named).size, 8, "every export is packed");
    assert.ok(!listed.includes("src"));
  });

  test("two builds give the same bytes, and what lay there before is gone", async () => {
    const again = join(folder, "again");
    mkdirSync(join(again, "types"), { recursive: true });
    for (const name of ["viewer.js", "old.js", "types/element.d.ts"]) writeFileSync(join(again, name), "old");
    await own.build({ out: again });
    assert.deepEqual(files(again), files(dist));
    assert.deepEqual(readdirSync(again).sort(), readdirSync(dist).sort());
    for (const name of files(dist)) assert.ok(readFileSync(join(again, name)).equals(readFileSync(join(dist, name))), name);
  });

  test("no path of a machine, no map and no test is in it", () => {
    for (const name of files(dist)) {
      const bytes = readFileSync(join(dist, name), "latin1");
      // The examples are conversations: they may speak of anything.
      const words = name.startsWith("examples/") ? [] : ["sourceMappingURL", "node:test", "file://", "/node_modules/"];
      for (const word of [ROOT, homedir() === "/" ? ROOT : `${homedir()}/`, folder, ...words]) assert.ok(!bytes.includes(word), `${name} holds ${word}`);
    }
  });

  test("scripts import nothing but the element beside them, and find the files beside them in the form that bundlers know", async () => {
    for (const [name, imports] of [["viewer.js", []], ["worker.js", []], ["page.js", ["./viewer.js"]]]) {
      const { metafile } = await esbuild.build({ entryPoints: [join(dist, name)], bundle: true, write: false, format: "esm", outdir: folder, external: ["*"], metafile: true, logLevel: "silent" });
      assert.deepEqual(Object.values(metafile.outputs)[0].imports.map(({ path }) => path), imports, name);
    }
    for (const file of ["worker.js", "plica.wasm"]) assert.match(text("viewer.js"), new RegExp(`new URL\\("\\./${file}",import\\.meta\\.url\\)`));
    assert.match(text("worker.js"), /new URL\("\.\/plica\.wasm",import\.meta\.url\)/);
  });

  test("everything that is bundled has its licence, and what has none cannot be", () => {
    const notices = text("THIRD-PARTY-NOTICES.txt");
    for (const name of ["@lit/reactive-element", "@tanstack/virtual-core", "dompurify", "highlight.js", "lit-element", "lit-html", "marked"]) {
      assert.match(notices, new RegExp(`^\\* ${name} [\\d.]+ \\(`, "m"));
      assert.match(notices, new RegExp(`^-{80}\n${name} [\\d.]+ \\(.*\\)\n-{80}\n\n[^]{400}`, "m"));
    }
    assert.ok(notices.includes(readFileSync(join(ROOT, "pkg/dist/THIRD-PARTY-NOTICES.txt"), "utf8").trim()), "the core's notices");
    const bare = join(folder, "node_modules/@made/bare");
    mkdirSync(bare, { recursive: true });
    const manifest = { name: "@made/bare", version: "1.0.0", license: "MIT" };
    const made = (...names) => { for (const name of names) writeFileSync(join(bare, name), name === "package.json" ? JSON.stringify(manifest) : "words"); };
    made("package.json", "index.js", "license.js");
    const input = [join(bare, "lib/index.js"), join(bare, "index.js")];
    assert.throws(() => own.noticesOf(input, ""), /@made\/bare is in a bundle, and has no licence/);
    assert.throws(() => own.noticesOf([join(folder, "elsewhere.js")], ""), /belongs to no package/);
    made("LICENSE.md");
    assert.match(own.noticesOf(input, ""), /^\* @made\/bare 1\.0\.0 \(MIT\)$/m);
  });

  test("the declarations need no other package, and agree with the element", () => {
    for (const name of ["viewer.d.ts", "serve.d.ts"]) assert.doesNotMatch(text(name), /^\s*import |from "|import\(/m);
    assert.deepEqual([...text("react.d.ts").matchAll(/^import .* from "([^"]+)"/gm)].map(([, from]) => from), ["react", "./viewer.js"]);
    // Without the part that both declare to the world.
    writeFileSync(join(folder, "declared.d.ts"), text("viewer.d.ts").replace(/^declare global \{[^]*?^\}$/m, ""));
    writeFileSync(join(folder, "agree.ts"), `import type * as Own from ${JSON.stringify(join(WWW, "src/element.js"))};
import type { View } from ${JSON.stringify(join(WWW, "src/store.js"))};
import type { ViewerError } from ${JSON.stringify(join(WWW, "src/client.js"))};
import type * as Declared from "./declared.js";
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
type Of<K extends keyof Own.PlicaViewer & keyof Declared.PlicaViewer> = Same<Own.PlicaViewer[K], Declared.PlicaViewer[K]>;
export const same: [Of<"src">, Of<"ledgerSrc">, Of<"theme">, Of<"places">, Of<"linkTo">, Of<"item">, Of<"view">, Of<"open">, Of<"goTo">] = [true, true, true, true, true, true, true, true, true];
export const also: [Same<View, Declared.View>, Same<Own.Source, Declared.Source>, Same<Own.OpenDetail, Declared.OpenDetail>, Same<Parameters<Own.PlicaViewer["open"]>, Parameters<Declared.PlicaViewer["open"]>>] = [true, true, true, true];
export const element = (own: Own.PlicaViewer): Declared.PlicaViewer => own;
export const error = (own: ViewerError): Declared.ErrorDetail & Error => own;
`);
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({
      extends: join(WWW, "tsconfig.json"),
      compilerOptions: { noEmit: true, emitDeclarationOnly: false, declaration: false, rootDir: "/", typeRoots: [] }, include: [], files: ["agree.ts"],
    }));
    const compiler = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });

  test("sizes are those of the readme, to a few per cent, and within their budget", () => {
    const rows = [...README.matchAll(/\| `(@plica\/viewer[\w/.]*)` \| `([\w.]+)` \| (\d+) kB \| (\d+) kB \|/g)];
    assert.deepEqual(rows.map(([, , file]) => file), ["viewer.js", "worker.js", "plica.wasm"]);
    const { exports } = JSON.parse(readFileSync(join(WWW, "package.json"), "utf8"));
    const gzip = (name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;
    for (const [, name, file, raw, gz] of rows) {
      const target = exports[name.replace("@plica/viewer", ".")];
      assert.equal(target.default ?? target, `./dist/${file}`);
      for (const [said, is] of [[raw, statSync(join(dist, file)).size], [gz, gzip(file)]]) {
        assert.ok(Math.abs(is / 1000 / Number(said) - 1) < 0.05, `${file}: the readme says ${said} kB, it is ${Math.round(is / 1000)} kB`);
      }
    }
    for (const [name, most] of Object.entries(BUDGET)) assert.ok(gzip(name) <= most, `${name} weighs ${gzip(name)} bytes gzipped, and may weigh ${most}`);
  });
});
