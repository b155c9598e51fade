// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Seeded random transcripts.
//
//   randomTranscript(seed, format, { malformed = 0, turns } = {}) -> messages
//
// The same seed, format and options give the same transcript on every runtime. A story is invented first, without a
// format: what the user says, what the assistant answers, what it calls and what comes back. Then, as often as `malformed`
// (0 to 1) says, something goes wrong in the story. Last, it is written down in the format.
//
// With malformed 0 the transcript obeys the provider's rules; it may still end in a call that is in flight, and for
// "anthropic" it may hold system messages (validate reports both by name). With malformed 1 nearly every turn is hit.
//
// stories/ has the stories, the accidents and the writers. The first three formats share a plainer story than the others.

import { spoil } from './stories/accidents.mjs';
import { toAnthropic, toChat, toHotl } from './stories/classic.mjs';
import { Random } from './stories/dice.mjs';
import { spoilRich } from './stories/rich-accidents.mjs';
import { inventRich } from './stories/rich-story.mjs';
import { invent } from './stories/story.mjs';
import { write as agentfootprint } from './stories/to-agentfootprint.mjs';
import { write as aiSdkUi } from './stories/to-ai-sdk-ui.mjs';
import { write as aiSdk } from './stories/to-ai-sdk.mjs';
import { write as gemini } from './stories/to-gemini.mjs';
import { write as langchain } from './stories/to-langchain.mjs';
import { write as openaiResponses } from './stories/to-openai-responses.mjs';
import { write as pi } from './stories/to-pi.mjs';

export { Random };

/** Formats with the plain story: how a step is written. */
const CLASSIC = { anthropic: toAnthropic, 'openai-chat': toChat, hotl: toHotl };

/** Formats with the rich one: what they have room for, and how a story is written. */
const RICH = {
  'openai-responses': { write: openaiResponses, asks: 'hosted', server: true, other: true },
  gemini: { write: gemini, server: true },
  'ai-sdk': { write: aiSdk, asks: 'calls', server: true },
  'ai-sdk-ui': { write: aiSdkUi, asks: 'calls', server: true },
  langchain: { write: langchain, other: true },
  agentfootprint: { write: agentfootprint },
  pi: { write: pi, other: true },
};

export const FORMATS = [...Object.keys(CLASSIC), ...Object.keys(RICH)];

export function randomTranscript(seed, format, { malformed = 0, turns } = {}) {
  if (!FORMATS.includes(format)) throw new RangeError(`no random transcripts for ${String(format)}`);
  const r = new Random(seed);
  const length = turns ?? 1 + r.below(14);
  return format in CLASSIC ? classic(r, length, format, malformed) : rich(r, length, format, malformed);
}

function classic(r, turns, format, malformed) {
  const story = invent(r, turns, format);
  if (malformed > 0) spoil(r, story, malformed);
  return story.flatMap((step) => CLASSIC[format](step));
}

function rich(r, turns, format, malformed) {
  const story = inventRich(r, turns, RICH[format]);
  if (malformed > 0) spoilRich(r, story, malformed, format);
  return RICH[format].write(story, r);
}
