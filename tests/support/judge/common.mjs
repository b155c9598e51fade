// SPDX-License-Identifier: MIT OR Apache-2.0
//
// What all judges share: how a fault is written, and small questions about values.

export function fault(rule, index, detail, id) {
  return id === undefined ? { rule, index, detail } : { rule, index, detail, id };
}
export function isObject(v) {
  return typeof v === 'object' && v !== null && !Array.isArray(v);
}
export function nonBlank(v) {
  return typeof v === 'string' && v.trim() !== '';
}
export function asList(v) {
  return Array.isArray(v) ? v : [];
}
/** Content that is not there at all. An empty string is there. */
export function isNone(content) {
  return content === undefined || content === null || (Array.isArray(content) && content.length === 0);
}
export function isText(content) {
  return typeof content === 'string' || Array.isArray(content);
}
