// SPDX-License-Identifier: MIT OR Apache-2.0
//
// A throwaway project with a framework and the packed package in it, as a user of both would have it.
//
//   const project = frameworkProject('ai-sdk-7');          // tests/frameworks/ai-sdk-7: package.json and its lock
//   const { generateText } = await project.import('ai');
//   project.run('page.mjs', source, { env });              // a program of the user: what it printed
//
// The projects are made once for each state of the lock and of the package, and shared by the test files.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onceMade } from '../../scripts/util.mjs';
import { loaded, root } from './package.mjs';

/** The project of this name. */
export function frameworkProject(name) {
  const source = join(root, 'tests/frameworks', name);
  const folder = withPlica(source, withFramework(source, name));
  return {
    folder,
    import: (specifier) => importFrom(folder, specifier),
    run(file, text, { env = {}, timeout = 120_000, args = [] } = {}) {
      writeFileSync(join(folder, file), text);
      return execFileSync(process.execPath, [join(folder, file), ...args], { cwd: folder, encoding: 'utf8', env: { ...process.env, ...env }, timeout });
    },
  };
}

/** Imports as a module of the project would: conditions of "import", not of "require". */
async function importFrom(folder, specifier) {
  const file = join(folder, `import-${specifier.replace(/\W+/g, '-')}.mjs`);
  if (!existsSync(file)) writeFileSync(file, `export * from ${JSON.stringify(specifier)};\n`);
  return import(pathToFileURL(file).href);
}

/** The framework from its lock, without plica: it takes the longest and changes the least. */
function withFramework(source, name) {
  const files = ['package.json', 'package-lock.json'].map((file) => readFileSync(join(source, file)));
  const folder = join(tmpdir(), 'plica-frameworks', `${name}-${hashOf(files)}`);
  return onceMade(folder, (work) => {
    for (const file of ['package.json', 'package-lock.json']) cpSync(join(source, file), join(work, file));
    execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: work, stdio: ['ignore', 'pipe', 'inherit'], shell: process.platform === 'win32' });
  });
}

/** The same with the packed package beside it. */
function withPlica(source, framework) {
  const folder = `${framework}-plica-${basename(join(loaded.from, '../..'))}`;
  return onceMade(folder, (work) => {
    cpSync(framework, work, { recursive: true, verbatimSymlinks: true });
    cpSync(loaded.from, join(work, 'node_modules/plica'), { recursive: true });
  });
}

function hashOf(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part).update('\0');
  return hash.digest('hex').slice(0, 16);
}
