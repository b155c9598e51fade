// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The databases that plica/store is tried on, and how to get at each of them.
//
//   const databases = await openDatabases()    // [{ name, why }, …]: why not, where one cannot be had here
//   const place = await database.fresh()       // a new, empty database: plain data, for other processes as well
//   const link = await connect(place)          // link.store(options), link.rows(sql, ...values), link.client, await link.end()
//   await closeDatabases()
//
// better-sqlite3 and pg are installed into folders of their own under target/; node:sqlite is that of the running Node. The PostgreSQL
// server is a cluster of its own in a temporary folder, on a socket there, run by somebody who is not root, and stopped at the end.

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { compiledTool, tool } from '../../scripts/runtimes.mjs';
import { loaded } from './package.mjs';

const PATIENCE = 60_000;

const driver = (folder, name) => createRequire(join(folder, 'package.json'))(name);
const betterSqlite = () => driver(compiledTool('better-sqlite3', 'better-sqlite3@12'), 'better-sqlite3');
const pg = () => driver(tool('pg', 'pg@8'), 'pg');
const stores = loaded.stores.esm;
let folder;
let server;
let made = 0;

const scratch = () => (folder ??= mkdtempSync(join(tmpdir(), 'plica-store-')));

const KINDS = {
  'better-sqlite3': {
    why: () => whyNot(() => new (betterSqlite())(':memory:').close()),
    fresh: async () => ({ kind: 'better-sqlite3', path: join(scratch(), `${++made}.db`) }),
    connect: async ({ path, busy = 5000, mode }) => {
      const db = new (betterSqlite())(path, { timeout: busy });
      return sqlite(db, mode);
    },
  },
  'node:sqlite': {
    why: () => (process.getBuiltinModule?.('node:sqlite') ? undefined : `Node ${process.versions.node} has none`),
    fresh: async () => ({ kind: 'node:sqlite', path: join(scratch(), `${++made}.db`) }),
    connect: async ({ path, busy = 5000, mode }) => {
      const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
      const db = new DatabaseSync(path);
      db.exec(`PRAGMA busy_timeout = ${busy}`);
      return sqlite(db, mode);
    },
  },
  postgresql: {
    why: () => whyNot(() => [pg(), postgresBin(), somebodyElse()]),
    fresh: async () => {
      const host = await cluster();
      const database = `t${++made}_${process.pid}`;
      const link = await connect({ kind: 'postgresql', host, database: 'postgres' });
      await link.rows(`CREATE DATABASE ${database}`);
      await link.end();
      return { kind: 'postgresql', host, database };
    },
    connect: async ({ host, database }) => {
      const pool = new (pg().Pool)({ host, database, user: 'plica', max: 6 });
      // As the documentation of pg asks: idle connections that are cut say so here.
      pool.on('error', () => {});
      return {
        client: pool,
        store: (options, using = pool) => stores.postgresStore(using, options),
        rows: async (sql, ...values) => {
          let n = 0;
          return (await pool.query(sql.replace(/\?/g, () => `$${++n}`), values)).rows;
        },
        end: () => pool.end(),
      };
    },
  },
};

function sqlite(db, mode = 'WAL') {
  db.exec(`PRAGMA journal_mode = ${mode}`);
  return {
    client: db,
    store: (options, using = db) => stores.sqliteStore(using, options),
    rows: async (sql, ...values) => {
      const statement = db.prepare(sql);
      if (/^\s*(select|pragma)/i.test(sql)) return statement.all(...values).map((row) => ({ ...row }));
      statement.run(...values);
      return [];
    },
    end: async () => db.close(),
  };
}

function whyNot(attempt) {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return String(error.message).split('\n')[0];
  }
}

/** All databases; PLICA_DATABASES=a,b only those. */
export function openDatabases() {
  const only = process.env.PLICA_DATABASES?.split(',');
  return Object.entries(KINDS)
    .filter(([name]) => only === undefined || only.includes(name))
    .map(([name, { why, fresh }]) => ({ name, why: why(), fresh }));
}

export function connect(place) {
  return KINDS[place.kind].connect(place);
}

// --- the PostgreSQL server -------------------------------------------------------------------------------------------

function postgresBin() {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  for (const bin of [...versions.map((version) => join(base, version, 'bin')), ...(process.env.PATH ?? '').split(':')]) {
    if (existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres'))) return bin;
  }
  throw new Error('no PostgreSQL server is installed (Debian: apt-get install postgresql)');
}

/** PostgreSQL refuses to be run by root. */
function somebodyElse() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function cluster() {
  server ??= start();
  return (await server).host;
}

async function start() {
  const bin = postgresBin();
  const who = somebodyElse();
  // Not below the folder of the tests: the path of a socket may be about a hundred characters long.
  const host = mkdtempSync(join(tmpdir(), 'plica-pg-'));
  const data = join(host, 'data');
  mkdirSync(data);
  chmodSync(host, 0o755);
  for (const path of [host, data]) if (who.uid !== undefined) chownSync(path, who.uid, who.gid);
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'plica', '-A', 'trust', '-E', 'UTF8', '--locale', 'C', '--no-sync'], { ...who, cwd: host, stdio: 'ignore' });
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-k', host, '-c', 'listen_addresses=', '-c', 'fsync=off', '-c', 'max_connections=60'], { ...who, cwd: host, stdio: 'ignore' });
  const ended = new Promise((done) => { child.once('exit', done); });
  // Also when the tests end in a way of their own.
  const kill = () => { child.kill('SIGQUIT'); };
  process.once('exit', kill);
  for (let waited = 0; ; waited += 50) {
    const link = await connect({ kind: 'postgresql', host, database: 'postgres' });
    const up = await link.rows('SELECT 1').then(() => true, () => false);
    await link.end();
    if (up) return { host, stop: async () => { kill(); await ended; process.off('exit', kill); rmSync(host, { recursive: true, force: true }); } };
    if (waited > PATIENCE || child.exitCode !== null) throw new Error('the PostgreSQL server does not start');
    await sleep(50);
  }
}

export async function closeDatabases() {
  if (server !== undefined) await (await server).stop();
  server = undefined;
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
}
