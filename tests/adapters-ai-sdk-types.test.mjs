// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The types of plica/ai-sdk fit those of the AI SDK 6 and 7, strictly, with exactOptionalPropertyTypes and without; and they do no harm
// where the AI SDK is not installed.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { frameworkProject } from './support/frameworks.mjs';
import { loaded, root } from './support/package.mjs';

const TSC = join(root, 'node_modules/typescript/bin/tsc');

const PROGRAM = `
import { generateText, streamText, wrapLanguageModel, ToolLoopAgent } from "ai";
import type { LanguageModel, LanguageModelMiddleware, ModelMessage, ToolSet } from "ai";
import { foldPrompts, foldSteps, summarizeWith } from "plica/ai-sdk";
import type { StepFolding, StepRun } from "plica/ai-sdk";
import { sqliteStore } from "plica/store";

declare const model: Parameters<typeof wrapLanguageModel>[0]["model"] & LanguageModel;
declare const tools: ToolSet;
declare const database: Parameters<typeof sqliteStore>[0];

const summarize = summarizeWith({ generateText, model, settings: { maxOutputTokens: 2000 } });
const byName = summarizeWith({ generateText, model: "anthropic/claude-sonnet-4.5" });
const folding: StepFolding<ModelMessage> = foldSteps<ModelMessage>({ window: { size: 200_000, output: 8_000 }, summarize, store: sqliteStore(database), id: "garden/7", pins: [{ key: "push", value: "Never push." }] });
const signal = new AbortController().signal;

export async function turn(request: string): Promise<string> {
  const messages: ModelMessage[] = [...(await folding.messages()), { role: "user", content: request }];
  const result = await generateText({ model, tools, messages, prepareStep: folding.until(signal), onStepFinish: folding.onStepFinish, onFinish: (event) => folding.record(event), abortSignal: signal });
  await folding.record(result);
  const stream = streamText({ model, tools, messages, prepareStep: folding.prepareStep, onStepFinish: folding.onStepFinish, onAbort: (event) => folding.record(event) });
  await folding.record(stream);
  const agent = new ToolLoopAgent({ model, tools, prepareStep: folding.prepareStep });
  await folding.record(await agent.generate({ messages }));
  const run: StepRun<ModelMessage> = folding.run({ signal });
  await run.record(await generateText({ model, tools, messages, prepareStep: run.prepareStep, onStepFinish: run.onStepFinish, abortSignal: signal }));
  const originals: ModelMessage[] = await folding.originals();
  return result.text + originals.length;
}

const middleware: LanguageModelMiddleware = foldPrompts({ window: 200_000, summarize: byName, conversation: (call) => call.providerOptions?.["plica"] === undefined ? undefined : "garden/7" });
const wrapped = wrapLanguageModel({ model, middleware: [middleware, foldPrompts({ window: 200_000 })] });
generateText({ model: wrapped, prompt: "Hello", providerOptions: { plica: { conversation: "garden/7" } } });

// Not everything fits.
// @ts-expect-error
foldSteps({});
// @ts-expect-error
summarizeWith({ generateText, model: 7 });
// @ts-expect-error
foldPrompts({ window: 200_000, id: "garden/7" });
`;

const BESIDE = `
import { Transcript } from "plica";
import { sqliteStore } from "plica/store";
import { foldPrompts, foldSteps } from "plica/ai-sdk";
export const all = [new Transcript({ window: 7 }), sqliteStore, foldSteps({ window: 7 }), foldPrompts({ window: 7 })];
`;

function tsc(folder, source, options) {
  writeFileSync(join(folder, 'check.ts'), source);
  const base = { strict: true, noEmit: true, target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], module: 'nodenext', moduleResolution: 'nodenext', noUncheckedIndexedAccess: true, types: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...base, ...options }, files: ['check.ts'] }));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  return spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
}

function folder(name, fill) {
  const path = mkdtempSync(join(tmpdir(), `plica-types-${name}-`));
  mkdirSync(join(path, 'node_modules'));
  fill(path);
  return path;
}

for (const version of [6, 7]) {
  for (const exactOptionalPropertyTypes of [false, true]) {
    test(`${version}: the types fit, exactOptionalPropertyTypes ${exactOptionalPropertyTypes ? 'on' : 'off'}`, () => {
      const project = frameworkProject(`ai-sdk-${version}`);
      const own = folder(version, (path) => cpSync(join(project.folder, 'node_modules'), join(path, 'node_modules'), { recursive: true, verbatimSymlinks: true }));
      // Declarations of the framework are its own affair.
      const { stdout, status } = tsc(own, PROGRAM, { exactOptionalPropertyTypes, skipLibCheck: true });
      assert.equal(status, 0, stdout);
      rmSync(own, { recursive: true });
    });
  }
}

test('without the AI SDK, and without types of a platform, every entry can be imported, libraries checked', () => {
  const own = folder('none', (path) => cpSync(loaded.from, join(path, 'node_modules/plica'), { recursive: true }));
  for (const exactOptionalPropertyTypes of [false, true]) {
    const { stdout, status } = tsc(own, BESIDE, { exactOptionalPropertyTypes, skipLibCheck: false, lib: ['es2020'] });
    assert.equal(status, 0, stdout);
  }
  rmSync(own, { recursive: true });
});
