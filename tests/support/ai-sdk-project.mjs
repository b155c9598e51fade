// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The AI SDK in its two versions, each from a project of its own, with a garden to tend in the tests.

import { fakeAnthropic } from './fake-anthropic.mjs';
import { frameworkProject } from './frameworks.mjs';
import { loaded } from './package.mjs';

// Otherwise it tells of its features on the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

export const VERSIONS = [6, 7];
export const SYSTEM = 'You are a gardener.';
export const PIN = { key: 'night', value: 'Never dig at night.', agent_id: 'operator', importance: 5, kind: 'constraint' };

/** Everything of one version. */
export async function aiSdk(version) {
  const project = frameworkProject(`ai-sdk-${version}`);
  const [ai, { createAnthropic }, plica, { z }, test] = await Promise.all(['ai', '@ai-sdk/anthropic', 'plica/ai-sdk', 'zod', 'ai/test'].map(project.import));
  // The same class as the adapter's: of the same installation.
  const core = await project.import('plica');
  const store = await project.import('plica/store');
  const read = ai.tool({ description: 'Reads about a bed', inputSchema: z.object({ path: z.string() }), execute: async ({ path }) => bed(path) });
  return {
    version, project, ai, plica, core, store, test, z, tools: { read },
    named: version === 6 ? 'system' : 'instructions',
    stepsUpTo: (n) => (ai.isStepCount ?? ai.stepCountIs)(n),
    /** A model behind a server that refuses what a real one does. */
    world: (options) => {
      const fake = fakeAnthropic(options);
      const model = createAnthropic({ apiKey: '-', fetch: fake.fetch })('claude-sonnet-4-5');
      return { fake, model, summarize: plica.summarizeWith({ generateText: ai.generateText, model }) };
    },
    /** What a run said, in both versions. */
    answers: async (result) => (version === 6 ? (await result.response).messages : await result.responseMessages),
  };
}

/** What a tool reads: about 200 tokens. */
export const bed = (path) => `${path}: ${'The soil is loam, and there are worms. '.repeat(20)}`;

/** An answer with so many calls, side by side. */
export function calls(n, count) {
  const uses = Array.from({ length: count }, (_, i) => ({ type: 'tool_use', id: `toolu_${n}_${i}`, name: 'read', input: { path: `bed-${n}-${i}` } }));
  return [{ type: 'text', text: `I read about bed ${n}.` }, ...uses];
}

/** A model that works for so many steps, one to three calls in each but the last. */
export const worksFor = (steps, from = 0) => (_request, n) => (n - from < steps - 1 ? calls(n, 1 + (n % 3)) : [{ type: 'text', text: `All is done after ${n}.` }]);

export const { PlicaError } = loaded.esm;
