// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Stores on one new SQLite database, which can be cut off and mended.
//
//   await withStore(async ({ open, disk }) => { const store = open(); disk.cut = true; … });

import { connect, openDatabases } from './databases.mjs';

const database = openDatabases().find(({ name, why }) => why === undefined && name !== 'postgresql');

/** Why there is none here; false when there is one. */
export const withoutStore = database === undefined && 'no SQLite can be had here';

/** `stores` is `plica/store` of the project that uses it. Where there is no database, `open` is undefined. */
export async function withStore(stores, run) {
  if (database === undefined) return run({});
  const link = await connect(await database.fresh());
  const disk = { cut: false };
  try {
    await run({ open: () => stores.sqliteStore(cuttable(link.client, disk)), disk });
  } finally {
    await link.end().catch(() => {});
  }
}

/** Its statements fail as well, prepared before or not. */
function cuttable(target, disk) {
  return new Proxy(target, { get: (_, key) => {
    const value = target[key];
    if (typeof value !== 'function') return value;
    return (...args) => {
      if (disk.cut) throw new Error('the disk is gone');
      const result = value.apply(target, args);
      return key === 'prepare' ? cuttable(result, disk) : result;
    };
  } });
}
