import { shardOf } from '@paycode/ownership';

const shardsSimulated = 8;
export const simulatedShards = Array.from({ length: shardsSimulated }, (_, shard) => shard);

export const merchants = [
  { merchantId: 1, origin: 'https://a.example.com' },
  { merchantId: 2, origin: 'https://b.example.com' },
  { merchantId: 3, origin: 'https://c.example.com' },
  { merchantId: 4, origin: null },
];

/** Merchants of two paths of one origin, in the seeds that have them. */
export const sharedOrigin = {
  silent: { merchantId: 5, origin: 'https://shops.example.com', path: '/silent' },
  neighbour: { merchantId: 6, origin: 'https://shops.example.com', path: '/hook' },
};

/** Transaction ids whose shards are the simulated ones; found once per program. */
const idsOfFewShards: number[] = [];

export function transactionIdAt(index: number): number {
  for (let id = (idsOfFewShards.at(-1) ?? 100_000) + 1; idsOfFewShards.length <= index; id++) {
    if (shardOf(id) < shardsSimulated) idsOfFewShards.push(id);
  }
  return idsOfFewShards[index]!;
}
