/** Text that needs no quotes inside a PostgreSQL array. */
const bare = /^[A-Za-z0-9_.:+-]+$/;

/**
 * PostgreSQL array literal of numbers and booleans. `pg` would turn each element into text and escape it on its own, which costs more than
 * the rest of a batched insert; these need no escaping.
 */
export function scalars(values: readonly (number | boolean | null)[]): string {
  return `{${values.map(value => (value === null ? 'null' : value)).join(',')}}`;
}

/** PostgreSQL array literal of texts; those made of letters, digits and `_ . : + -` alone (ids, codes, instants, sealed texts) go in as they are. */
export function texts(values: readonly (string | null)[]): string {
  return `{${values.map(element).join(',')}}`;
}

/** PostgreSQL array literal of instants. */
export function instants(values: readonly (Date | null)[]): string {
  return texts(values.map(value => value && value.toISOString()));
}

/**
 * SQL for an array parameter whose length the planner does not see, so that a plan for few items cannot look cheaper than the kept one of a
 * prepared statement, which expects ten, and be made again each time (ADR 0107). `parameter`: with its type, `$1::bigint[]`.
 */
export function unseenLength(parameter: string): string {
  return `(select ${parameter})`;
}

function element(value: string | null): string {
  if (value === null) return 'null';
  // PostgreSQL would read the unquoted word null as NULL.
  if (bare.test(value) && value.toLowerCase() !== 'null') return value;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** Payloads of a batch as one binary parameter, and where each of them is, as two array literals of integers. */
export interface JoinedPayloads {
  bytes: Buffer;
  /** Counted from 1, in bytes. */
  starts: string;
  lengths: string;
}

/**
 * Joins the payloads of a batch. PostgreSQL reads an array of texts character by character, looking for quotes
 * and commas; of 2 kB each that takes half of an insert's time. It copies bytes of a known place at once.
 */
export function joinPayloads(values: readonly string[]): JoinedPayloads {
  const lengths = values.map(value => Buffer.byteLength(value));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, 0));
  let end = 0;
  const starts = values.map((value, index) => {
    const start = end;
    bytes.write(value, start);
    end += lengths[index]!;
    return start + 1;
  });
  return { bytes, starts: scalars(starts), lengths: scalars(lengths) };
}

/** SQL for the text of a row: `bytes` names the parameter, `start` and `length` its columns. */
export function joinedPayload(bytes: string, start: string, length: string): string {
  return `convert_from(substring(${bytes}::bytea from ${start} for ${length}), 'UTF8')`;
}

/** Types of elements by their numbers in pg_type, which are the same on every server. */
const elements = { bigint: 20, smallint: 21 };
const headerBytes = 20;
const lengthBytes = 4;
const wordRange = 2 ** 32;

/**
 * PostgreSQL array of integers below 2^53, in its binary format (array_recv): `pg` sends a buffer as it is, and PostgreSQL copies each element,
 * where it would read the digits of an array literal one by one.
 */
export function bigints(values: readonly number[]): Buffer {
  return arrayOf(values, { type: elements.bigint, bytes: 8 }, (buffer, value, at) => {
    buffer.writeInt32BE(Math.floor(value / wordRange), at);
    buffer.writeUInt32BE(value >>> 0, at + lengthBytes);
  });
}

/** As `bigints`, of integers of 16 bits. @throws RangeError beyond them */
export function smallints(values: readonly number[]): Buffer {
  return arrayOf(values, { type: elements.smallint, bytes: 2 }, (buffer, value, at) => void buffer.writeInt16BE(value, at));
}

function arrayOf(
  values: readonly number[],
  element: { type: number; bytes: number },
  write: (buffer: Buffer, value: number, at: number) => void,
): Buffer {
  const buffer = Buffer.allocUnsafe(headerBytes + values.length * (lengthBytes + element.bytes));
  // One dimension, no nulls, the type; its length, its first index.
  [1, 0, element.type, values.length, 1].forEach((field, at) => buffer.writeInt32BE(field, at * lengthBytes));
  let at = headerBytes;
  for (const value of values) {
    buffer.writeInt32BE(element.bytes, at);
    write(buffer, value, at + lengthBytes);
    at += lengthBytes + element.bytes;
  }
  return buffer;
}
