const multiplier = 0x5bd1e995;
const seed = 0x9747b28c;

/**
 * 32-bit MurmurHash2 of the key's UTF-8 bytes, signed, as Java's Kafka client computes it (Austin Appleby's reference algorithm with
 * seed 0x9747b28c), so that every producer of any language puts a key on the same partition.
 */
export function murmur2(key: string | Uint8Array): number {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  const wholeWords = bytes.length - (bytes.length % 4);
  let hash = seed ^ bytes.length;
  for (let at = 0; at < wholeWords; at += 4) {
    hash = Math.imul(hash, multiplier) ^ mix(bytes.readInt32LE(at));
  }
  if (wholeWords < bytes.length) {
    for (let at = bytes.length - 1; at >= wholeWords; at--) hash ^= bytes[at]! << (8 * (at - wholeWords));
    hash = Math.imul(hash, multiplier);
  }
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return (hash ^ (hash >>> 15)) | 0;
}

function mix(word: number): number {
  const product = Math.imul(word, multiplier);
  return Math.imul(product ^ (product >>> 24), multiplier);
}

/** Drops the sign bit, as Kafka's partitioner does (not the absolute value). */
export function toPositive(hash: number): number {
  return hash & 0x7fffffff;
}

/** Partition of a record key: equal to kafkajs' and Java's default partitioner. */
export function partitionOf(key: string, partitions: number): number {
  return toPositive(murmur2(key)) % partitions;
}
