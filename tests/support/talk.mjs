// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Turns of an invented agent, written down in a format: what a framework hands to an adapter, turn by turn.
//
//   const talk = new Talk('anthropic', random);
//   talk.turn()        // messages of one turn: a request and an answer, or a loop of tools, parallel calls included
//   talk.user(text)    // one request
//   talk.answer(text)  // one answer

const WORDS = 'bed row seed frost water plan north shade leaf error done größer 庭 сад 🌱 the and then <b> "q" [user]'.split(' ');

const WRITERS = {
  anthropic: {
    user: (text) => ({ role: 'user', content: text }),
    answer: (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
    loop: (text, calls) => [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: `on ${text}`, signature: 'c2lnbmVk' },
          { type: 'text', text },
          ...calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
        ],
      },
      { role: 'user', content: calls.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result })) },
    ],
  },
  'ai-sdk': {
    user: (text) => ({ role: 'user', content: text }),
    answer: (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
    loop: (text, calls) => [
      { role: 'assistant', content: [{ type: 'text', text }, ...calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input }))] },
      { role: 'tool', content: calls.map(({ id, name, result }) => ({ type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: result } })) },
    ],
  },
  'openai-responses': {
    user: (text) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    answer: (text) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }),
    loop: (text, calls) => [
      { type: 'reasoning', id: `rs_${calls[0].id}`, summary: [{ type: 'summary_text', text }] },
      ...calls.map(({ id, name, input }) => ({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) })),
      ...calls.map(({ id, result }) => ({ type: 'function_call_output', call_id: id, output: result })),
    ],
  },
  langchain: {
    user: (text) => ({ type: 'human', data: { content: text } }),
    answer: (text) => ({ type: 'ai', data: { content: text, tool_calls: [] } }),
    loop: (text, calls) => [
      { type: 'ai', data: { content: text, tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: input, type: 'tool_call' })) } },
      ...calls.map(({ id, name, result }) => ({ type: 'tool', data: { content: result, tool_call_id: id, name } })),
    ],
  },
};

export class Talk {
  constructor(format, random) {
    this.write = WRITERS[format];
    this.random = random;
    this.calls = 0;
  }

  text(most = 60) {
    return Array.from({ length: 3 + this.random.below(most) }, () => this.random.pick(WORDS)).join(' ');
  }

  user(text = `please ${this.text()}`) {
    return this.write.user(text);
  }

  answer(text = `so ${this.text()}`) {
    return this.write.answer(text);
  }

  loop() {
    const calls = Array.from({ length: 1 + this.random.below(3) }, () => ({ id: `call_${++this.calls}`, name: 'look', input: { bed: this.calls, why: this.text(5) }, result: this.text(120) }));
    return this.write.loop(`looking ${this.text(8)}`, calls);
  }

  turn() {
    const loops = Array.from({ length: this.random.below(3) }, () => this.loop()).flat();
    // What was said before may be said once more, word for word.
    return [this.random.chance(0.1) ? this.user('go on') : this.user(), ...loops, this.random.chance(0.1) ? this.answer('done') : this.answer()];
  }
}

/** Frozen to its depth: what changes an argument throws. */
export function frozen(value) {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}
