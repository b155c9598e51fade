// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Tells which call hangs, and ends the process: a synchronous call cannot be interrupted from its own thread.
//
//   const watch = watchdog(20_000);
//   watch.start('fold, argument 2, a cyclic object');  …;  const ms = watch.stop();

import { Worker } from 'node:worker_threads';

const SOURCE = `
  const { workerData } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  const view = new Int32Array(workerData.state);
  setInterval(() => {
    const since = view[0];
    if (since === 0 || Math.floor(performance.timeOrigin + performance.now()) / 1000 - workerData.origin - since < workerData.limit / 1000) return;
    const text = Buffer.from(new Uint8Array(workerData.state, 8, view[1])).toString();
    writeSync(2, '\\n# HANGS for more than ' + workerData.limit + ' ms: ' + text + '\\n');
    process.kill(process.pid, 'SIGKILL');
  }, 500);
`;

export function watchdog(limit) {
  const state = new SharedArrayBuffer(4096);
  const view = new Int32Array(state);
  const origin = Math.floor(Date.now() / 1000) - 10;
  const worker = new Worker(SOURCE, { eval: true, workerData: { state, limit: limit * 2, origin } });
  worker.unref();
  let began = 0;
  return {
    start(label) {
      const bytes = Buffer.from(label).subarray(0, 4000);
      new Uint8Array(state, 8).set(bytes);
      view[1] = bytes.length;
      began = performance.now();
      view[0] = Math.floor(Date.now() / 1000) - origin;
    },
    stop() {
      view[0] = 0;
      return performance.now() - began;
    },
  };
}
