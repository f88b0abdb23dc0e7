/** Throughput beside many stored deliveries of a merchant that does not answer, against an empty table. */
import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { serializeNotification } from '@paycode/dto';
import type { Contender } from './contender.ts';
import { type Burst, measureBurst } from './delivery-rounds.ts';
import { freshPlatform, type IsolationGround, loadOf } from './isolation-ground.ts';
import type { PlatformUnderTest } from './platform-under-test.ts';
import { progress } from './report.ts';
import { sampleNotification } from './sample-notification.ts';

export interface StoredScale {
  stored: number;
  rounds: number;
  burst: number;
}

export interface StoredRuns {
  stored: number;
  empty: Burst[];
  full: Burst[];
}

const pageRows = 50_000;

export async function runStored(ground: IsolationGround, { stored, rounds, burst }: StoredScale): Promise<StoredRuns> {
  progress(`throughput beside ${stored} stored deliveries`);
  const [emptyPlatform, fullPlatform] = [await freshPlatform(ground), await freshPlatform(ground)];
  const empty = await loadOf('empty table', emptyPlatform, { ...ground, merchants: ground.healthy });
  const full = await loadOf(`${stored} stored`, fullPlatform, { ...ground, merchants: ground.healthy });
  try {
    await store(ground, fullPlatform, stored);
    const runs: StoredRuns = { stored, empty: [], full: [] };
    const measure = (contender: Contender) => measureBurst(contender, ground, burst);
    for (let round = 0; round <= rounds; round++) {
      const [first, second] = [await measure(empty), await measure(full)];
      // The first round only warms up.
      if (round > 0) runs.empty.push(first);
      if (round > 0) runs.full.push(second);
    }
    return runs;
  } finally {
    await empty.stop();
    await full.stop();
  }
}

/** As ingest would have left them: waiting, unclaimed, in all shards. */
async function store({ database, secrets, hanging }: IsolationGround, platform: PlatformUnderTest, count: number): Promise<void> {
  const merchantId = hanging[0]!.merchantId;
  const payload = new PayloadSealer(KeyRing.parse(secrets.payloadKeys)).seal(
    serializeNotification(sampleNotification(1, merchantId)),
  );
  const sql = `
    insert into delivery (transaction_id, shard, seq, epoch, merchant_id, kind, status, reversible, completed_at, payload)
    select i, i % 256, nextval('delivery_seq'), 0, $1, 'PURCHASE', 'SUCCESS', true, now(), $2 from generate_series($3::int, $4::int) i`;
  for (let first = 1; first <= count; first += pageRows)
    await database.query(platform.databases.dispatcher, sql, [merchantId, payload, first, Math.min(count, first + pageRows - 1)]);
  await database.query(platform.databases.dispatcher, 'analyze delivery');
}
