import type { PlantedFault } from './planted-fault.ts';

const dispatcher = 'apps/webhook-dispatcher/src';
const deliverySpec = `${dispatcher}/deliveries/persistence/postgres-delivery.store.int.spec.ts`;
const ownership = 'libs/ownership/src';
const shardSpec = `${ownership}/postgres-shard.store.int.spec.ts`;
const idRangeSpec = `${dispatcher}/retention/persistence/postgres-id-range.store.int.spec.ts`;

/** Who may act on a delivery when replicas die, and what is kept for how long. */
export const takeoverFaults: readonly PlantedFault[] = [
  {
    id: 'takeover-keeps-epoch',
    breaks: 'A takeover leaves the epoch of the shard as it was: nothing fences the former owner.',
    against: 'P-I4',
    file: `${ownership}/shard.sql.ts`,
    find: 'set owner = $1, epoch = shard.epoch + 1',
    put: 'set owner = $1, epoch = shard.epoch',
    specs: [shardSpec],
  },
  {
    id: 'takeover-of-living',
    breaks: 'A shard is taken over although its owner has sent a heartbeat since it was looked at.',
    against: 'P-T6',
    file: `${ownership}/shard.sql.ts`,
    find: '            and (select r.heartbeat from replica r where r.id = s.owner) is not distinct from seen.heartbeat\n',
    put: '',
    specs: [shardSpec],
  },
  {
    id: 'succeeds-everybody',
    breaks: 'A replica that starts frees the shards of living ones at other instances.',
    against: 'P-T10',
    file: `${ownership}/shard.sql.ts`,
    find: 'delete from replica where instance = $2 and id <> $1',
    put: 'delete from replica where $2::text is not null and id <> $1',
    specs: [shardSpec],
  },
  {
    id: 'claim-without-epoch',
    breaks: 'A replica claims an attempt in a shard under an epoch that has passed.',
    against: 'P-I8',
    file: `${dispatcher}/deliveries/persistence/delivery.sql.ts`,
    find: 'from input d join held using (shard, epoch) where',
    put: 'from input d join held using (shard) where',
    specs: [deliverySpec],
  },
  {
    id: 'insert-without-epoch',
    breaks: 'An insert claims its first attempt under an epoch that has passed.',
    against: 'P-I8',
    file: `${dispatcher}/deliveries/persistence/delivery.sql.ts`,
    find: 'case when h.owner = $1 and h.epoch = i.epoch then i.epoch else 0 end',
    put: 'case when h.owner = $1 then i.epoch else 0 end',
    specs: [deliverySpec],
  },
  {
    id: 'claims-closed',
    breaks: 'An attempt is claimed for a delivery that has its verdict.',
    against: 'P-I1',
    file: `${dispatcher}/deliveries/persistence/delivery.sql.ts`,
    find: 'join held using (shard, epoch) where ${isOpen} order by 1',
    put: 'join held using (shard, epoch) order by 1',
    specs: [deliverySpec],
  },
  {
    id: 'former-owner-repeats',
    breaks: 'A replica that was paused repeats a request on a dead socket, although a successor may have posted.',
    against: 'P-T6',
    file: `${dispatcher}/posting/dispatch-webhook.ts`,
    find: '() => this.preparing.mayPost(delivery)',
    put: '() => true',
    specs: [`${dispatcher}/posting/dispatch-webhook.spec.ts`],
    isSampled: true,
  },
  {
    id: 'repeats-taken-twice',
    breaks: 'Two replicas repeat the same notice at the same time.',
    against: 'A-11',
    file: `${dispatcher}/informational/persistence/informational.sql.ts`,
    find: "set due_at = clock_timestamp() + $3 * interval '1 millisecond'\n    from due",
    put: "set due_at = n.due_at + 0 * $3 * interval '1 millisecond'\n    from due",
    specs: [`${dispatcher}/informational/persistence/postgres-informational.store.int.spec.ts`],
  },
  {
    id: 'drops-open-rows',
    breaks: 'Retention drops a range that holds deliveries without a verdict.',
    against: 'R-1-6',
    file: `${dispatcher}/retention/persistence/postgres-id-range.store.ts`,
    find: '    if (open.length > 0) return false;\n',
    put: '',
    specs: [idRangeSpec],
  },
  {
    id: 'retention-forgets-late',
    breaks: 'Retention drops a range as soon as its time is over, late events included.',
    against: 'R-4.4-1',
    file: `${dispatcher}/retention/domain/plan-retention.ts`,
    find: '(passedAgoMs ?? 0) > retentionMs + lateMs',
    put: '(passedAgoMs ?? 0) > retentionMs',
    specs: [`${dispatcher}/retention/domain/plan-retention.spec.ts`],
  },
  {
    id: 'retention-keeps-strays',
    breaks: 'Deliveries with ids outside every range are kept for ever.',
    against: 'T-16',
    file: `${dispatcher}/retention/persistence/id-range.sql.ts`,
    find: 'where d.received_at < clock_timestamp()',
    put: "where d.received_at < clock_timestamp() - interval '10 years'",
    specs: [idRangeSpec],
  },
  {
    id: 'heartbeat-from-its-end',
    breaks:
      'An owner counts its heartbeat from the answer on, others from when it was written: they take over while it still posts.',
    against: 'P-T6',
    file: `${ownership}/shard-ownership.ts`,
    find: 'this.lastHeartbeatMs = startedMs;',
    put: 'this.lastHeartbeatMs = this.clock.nowMs();',
    specs: [`${ownership}/shard-ownership.spec.ts`],
    isSampled: true,
  },
];
