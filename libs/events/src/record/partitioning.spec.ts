import fc from 'fast-check';
import { Partitioners } from 'kafkajs';
import { murmur2, partitionOf, toPositive } from './partitioning';

const metadataOf = (partitions: number) =>
  Array.from({ length: partitions }, (_, partitionId) => ({
    partitionId,
    leader: 0,
    replicas: [0],
    isr: [0],
    partitionErrorCode: 0,
  }));

describe('partitioning', () => {
  // Vectors of org.apache.kafka.common.utils.UtilsTest#testMurmur2.
  it.each([
    ['21', -973_932_308],
    ['foobar', -790_332_482],
    ['a-little-bit-long-string', -985_981_536],
    ['a-little-bit-longer-string', -1_486_304_829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58_897_971],
    ['abc', 479_470_107],
  ])('hashes %s as the Java client does', (key, hash) => {
    expect(murmur2(key)).toBe(hash);
  });

  it('puts every key on the partition that the kafkajs default partitioner chooses', () => {
    const choose = Partitioners.DefaultPartitioner();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.integer({ min: 1, max: 256 }), (key, partitions) => {
        const theirs = choose({ topic: 't', partitionMetadata: metadataOf(partitions), message: { key, value: '' } });
        expect(partitionOf(key, partitions)).toBe(theirs);
      }),
    );
  });

  it('keeps a transaction on the partition that its shard of 256 implies', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), transactionId => {
        const shard = toPositive(murmur2(String(transactionId))) % 256;
        expect(shard % 64).toBe(partitionOf(String(transactionId), 64));
      }),
    );
  });
});
