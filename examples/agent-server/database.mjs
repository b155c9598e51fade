// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The database: node:sqlite where this Node has it, better-sqlite3 otherwise. Many processes may have it open.

export async function openDatabase(path) {
  const database = await opened(path);
  // For the next lines, before the server listens. The store waits for others by itself, and blocks nothing meanwhile.
  database.exec("PRAGMA busy_timeout = 5000");
  // Readers do not wait for writers; what is written is on the disk when it is acknowledged.
  database.exec("PRAGMA journal_mode = WAL");
  database.exec("PRAGMA synchronous = FULL");
  return database;
}

async function opened(path) {
  const builtin = process.getBuiltinModule?.("node:sqlite");
  if (builtin !== undefined) return new builtin.DatabaseSync(path);
  const { default: Database } = await import("better-sqlite3");
  return new Database(path, { timeout: 5000 });
}
