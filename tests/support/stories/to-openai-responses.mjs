// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Flat items, in the API's snake_case or, for a fifth of the transcripts, in the camelCase of the Agents SDK.

import { odd, PIXEL, seedTag, textOf, words } from './dice.mjs';

const IMAGE = `data:image/png;base64,${PIXEL}`;

export function write(story, r) {
  const camel = r.chance(0.2);
  const writer = new Writer(r, camel, r.chance(0.8));
  const items = story.flatMap((step) => (typeof writer[step.kind] === 'function' ? writer[step.kind](step) : []));
  return items.map((item) => odd(r, item));
}

class Writer {
  constructor(r, camel, ids) {
    this.r = r;
    this.camel = camel;
    this.ids = ids; // whether items carry ids of their own
    this.kinds = new Map(); // call id -> the kind of call it was written as
  }

  /** An item's own id, where the transcript has them; `always` for those that the API never leaves out. */
  own(prefix, always = false) {
    const id = `${prefix}_${seedTag(this.r)}${seedTag(this.r)}`;
    return this.ids || always ? { id } : {};
  }

  callId(id) {
    if (id === undefined) return {};
    return this.camel ? { callId: id } : { call_id: id };
  }

  system({ text, developer }) {
    if (this.camel) return [{ role: 'system', content: text }];
    const role = developer ? 'developer' : 'system';
    if (this.r.chance(0.5)) return [{ role, content: text }];
    return [{ type: 'message', role, content: [{ type: 'input_text', text }] }];
  }

  user({ text, image, empty }) {
    if (empty) return [{ type: 'message', role: 'user', content: [] }];
    if (!image && this.r.chance(0.4)) return [{ role: 'user', content: text }];
    const content = [{ type: 'input_text', text }];
    if (image) content.push(this.camel ? { type: 'input_image', image: IMAGE, detail: 'auto' } : { type: 'input_image', image_url: IMAGE, detail: 'auto' });
    return [{ type: 'message', role: 'user', content }];
  }

  summary() {
    return [this.compaction()];
  }

  compaction() {
    const type = this.camel ? 'compaction' : this.r.pick(['compaction', 'compaction', 'compaction_summary', 'context_compaction']);
    return { type, ...this.own('cmp', true), encrypted_content: `gAAA${seedTag(this.r)}${seedTag(this.r)}==` };
  }

  other({ text }) {
    if (this.camel) return [this.r.pick([{ type: 'unknown', providerData: { note: text } }, this.compaction()])];
    return [this.r.pick([
      { type: 'brand_new_item', ...this.own('new', true), note: text },
      { type: 'item_reference', id: `msg_stored_${seedTag(this.r)}` },
      { type: 'compaction_trigger' },
      this.compaction(),
    ])];
  }

  assistant(step) {
    const thoughts = step.thinking.map((t) => this.reasoning(t));
    const said = [...step.server.map((c) => this.hosted(c)), ...this.messages(step.texts)];
    const asked = [...(step.asks ?? []).map((ask) => this.ask(ask)), ...step.calls.map((c) => this.call(c))];
    if (thoughts.length + said.length + asked.length === 0) return [{ type: 'message', role: 'assistant', content: [] }];
    const items = this.order(step, thoughts, said, asked);
    if (step.itemId) items[0].id = step.itemId;
    return items;
  }

  /** Reasoning first; of two, the second may stand in front of the calls. */
  order(step, thoughts, said, asked) {
    if (step.thinkingLast) return [...said, ...asked, ...thoughts];
    if (thoughts.length === 2 && said.length && asked.length && this.r.chance(0.5)) return [thoughts[0], ...said, thoughts[1], ...asked];
    return [...thoughts, ...said, ...asked];
  }

  reasoning(t) {
    const secret = t.redacted ?? t.signature ?? '';
    const { id } = this.own('rs', true);
    if (this.camel) return { type: 'reasoning', id, content: t.text ? [{ type: 'input_text', text: t.text }] : [], providerData: { encrypted_content: secret } };
    return { type: 'reasoning', id, summary: t.text ? [{ type: 'summary_text', text: t.text }] : [], encrypted_content: secret };
  }

  messages(texts) {
    if (texts.length === 1 && !this.camel && this.r.chance(0.15)) return [{ role: 'assistant', content: texts[0] }];
    const part = (text) => ({ type: 'output_text', text, ...(this.camel ? {} : { annotations: [] }) });
    const message = (content) => ({ type: 'message', ...this.own('msg'), role: 'assistant', status: 'completed', content });
    return this.r.chance(0.5) && texts.length ? [message(texts.map(part))] : texts.map((text) => message([part(text)]));
  }

  /** Tools of the provider: whole in one item. */
  hosted({ id, ask }) {
    const { r } = this;
    const item = ask !== undefined ? this.mcpCall(ask) : r.pick([
      { type: 'web_search_call', status: 'completed', action: { type: 'search', query: words(r, 3) } },
      { type: 'file_search_call', status: 'completed', queries: [words(r, 3)], results: null },
      { type: 'code_interpreter_call', status: 'completed', container_id: 'cntr_1', code: 'print(2)', outputs: null },
      { type: 'image_generation_call', status: 'completed', result: PIXEL },
      this.mcpCall(),
      { type: 'mcp_list_tools', server_label: 'garden', tools: [] },
    ]);
    if (!this.camel) return { ...item, id };
    const { type, ...data } = item;
    return { type: 'hosted_tool_call', id, name: type, status: 'completed', providerData: { type, ...data } };
  }

  mcpCall(ask) {
    return { type: 'mcp_call', server_label: 'garden', name: 'lookup', arguments: '{}', output: words(this.r, 8), ...(ask === undefined ? {} : { approval_request_id: ask }) };
  }

  ask({ id, name, input }) {
    const data = { name, arguments: JSON.stringify(input), server_label: 'garden' };
    if (!this.camel) return { type: 'mcp_approval_request', id, ...data };
    return { type: 'hosted_tool_call', id, name: 'mcp_approval_request', status: 'in_progress', providerData: { type: 'mcp_approval_request', id, ...data } };
  }

  answers({ answers }) {
    return answers.map(({ id, approved, reason }) => {
      const data = { approve: approved, approval_request_id: id, ...(approved ? {} : { reason }) };
      if (!this.camel) return { type: 'mcp_approval_response', ...data };
      return { type: 'hosted_tool_call', name: 'mcp_approval_response', providerData: { type: 'mcp_approval_response', ...data } };
    });
  }

  call({ id, name, input }) {
    const kind = this.r.chance(0.75) ? 'function' : this.r.pick(['custom', 'shell', 'computer', 'apply_patch']);
    const kept = kind === 'custom' && this.camel ? 'function' : kind;
    this.kinds.set(id, kept);
    const ids = this.callId(id);
    const text = JSON.stringify(input);
    if (kept === 'custom') return { type: 'custom_tool_call', ...this.own('ctc'), ...ids, name, input: text };
    if (kept === 'shell') return { type: 'shell_call', ...this.own('sh'), ...ids, status: 'completed', action: { commands: [`echo ${name}`] } };
    if (kept === 'computer') return { type: 'computer_call', ...this.own('cu'), ...ids, status: 'completed', action: { type: 'click', x: 1, y: 2, button: 'left' } };
    if (kept === 'apply_patch') return { type: 'apply_patch_call', ...this.own('ap'), ...ids, status: 'completed', operation: { type: 'update_file', path: 'beds.md', diff: text } };
    return { type: 'function_call', ...this.own('fc'), ...ids, name, arguments: text, ...(this.r.chance(0.3) ? { status: 'completed' } : {}) };
  }

  results(step) {
    const out = step.results.map((x) => this.result(x));
    if (step.textBefore !== undefined) out.unshift({ role: 'user', content: step.textBefore });
    if (step.textAfter !== undefined) out.push({ role: 'user', content: step.textAfter });
    return out;
  }

  result(x) {
    const ids = this.callId(x.id);
    const text = textOf(x.content);
    const kind = this.kinds.get(x.id);
    if (kind === 'custom') return { type: 'custom_tool_call_output', ...ids, output: text };
    if (kind === 'shell') return { type: 'shell_call_output', ...ids, output: [{ stdout: text, stderr: '', outcome: this.camel ? { type: 'exit', exitCode: 0 } : { type: 'exit', exit_code: 0 } }] };
    if (kind === 'computer') return this.screenshot(ids);
    if (kind === 'apply_patch') return { type: 'apply_patch_call_output', ...ids, status: x.error ? 'failed' : 'completed', output: text };
    if (this.camel) return { type: 'function_call_result', ...ids, name: x.name ?? 'read', status: 'completed', output: this.r.chance(0.5) ? { type: 'text', text } : text };
    const output = typeof x.content === 'string' ? x.content : [{ type: 'input_text', text }, ...(this.r.chance(0.2) ? [{ type: 'input_image', image_url: IMAGE }] : [])];
    return { type: 'function_call_output', ...this.own('fco'), ...ids, output };
  }

  screenshot(ids) {
    if (this.camel) return { type: 'computer_call_result', ...ids, output: { type: 'computer_screenshot', data: IMAGE } };
    return { type: 'computer_call_output', ...ids, output: { type: 'computer_screenshot', image_url: IMAGE } };
  }
}
