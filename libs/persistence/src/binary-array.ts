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
