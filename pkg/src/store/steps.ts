// What a store does, as steps: a generator gives statements and gets rows. So each operation is written once, and runs without a
// pause where the database answers at once (SQLite: nothing of the program's gets in between), and awaits where it does not.

import type { SqlValue } from "./types.js";

/** A row of an answer, by column. @internal */
export type Row = Readonly<Record<string, unknown>>;

/** One statement; values stand for its `?`, and nothing of a caller's is ever in its text. @internal */
export interface Statement {
  sql: string;
  values: readonly SqlValue[];
  /** Whether it gives rows. */
  reads: boolean;
}

/** An operation. @internal */
export type Steps<T> = Generator<Statement, T, readonly Row[]>;

/** Asks for rows. @internal */
export function* read(sql: string, ...values: readonly SqlValue[]): Steps<readonly Row[]> {
  return yield { sql, values, reads: true };
}

/** Asks for one row. @internal */
export function* readOne(sql: string, ...values: readonly SqlValue[]): Steps<Row | undefined> {
  return (yield* read(sql, ...values))[0];
}

/** Writes. @internal */
export function* write(sql: string, ...values: readonly SqlValue[]): Steps<void> {
  yield { sql, values, reads: false };
}

/** Rows of one statement: well below what any database takes, and enough that the way there and back does not count. */
const BATCH_ROWS = 500;

/** Texts of one statement, in UTF-16 units, so that no statement is a multiple of what is to be stored. */
const BATCH_UNITS = 1 << 22;

/** Asks for the rows of many texts; `sql` makes the statement for its `?`. @internal */
export function* readMany(texts: readonly string[], sql: (groups: string) => string): Steps<Row[]> {
  const all: Row[] = [];
  for (let at = 0; at < texts.length; at += BATCH_ROWS) {
    const part = texts.slice(at, at + BATCH_ROWS);
    for (const row of yield* read(sql(part.map(() => "?").join(", ")), ...part)) all.push(row);
  }
  return all;
}

/** The same statement for many rows: `sql` makes it for the groups of `?`. @internal */
export function* writeMany(rows: readonly (readonly SqlValue[])[], group: string, sql: (groups: string) => string, ...before: readonly SqlValue[]): Steps<void> {
  for (let at = 0; at < rows.length; ) {
    const values: SqlValue[] = [...before];
    let count = 0;
    for (let units = 0; at < rows.length && count < BATCH_ROWS && units < BATCH_UNITS; at++, count++) {
      for (const value of rows[at]!) {
        values.push(value);
        if (typeof value === "string") units += value.length;
      }
    }
    yield { sql: sql(Array.from({ length: count }, () => group).join(", ")), values, reads: false };
  }
}

/** A whole number of a row: databases give them as numbers, texts or big integers. @internal */
export function numberIn(row: Row, column: string): number {
  return Number(row[column]);
}

/** A text of a row. @internal */
export function textIn(row: Row, column: string): string {
  return String(row[column]);
}
