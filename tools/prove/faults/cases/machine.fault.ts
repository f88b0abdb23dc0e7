import { existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import { SmallDisk } from '../environment/database-server.ts';
import { faultSuite } from '../environment/fault-platform.ts';
import { hang } from '../environment/fault-receiver.ts';
import { patienceMs, times as defaultTimes } from '../environment/fault-services.ts';

/** Debian package libfaketime; it shifts the wall clock of a process and does not change the monotonic clock. */
const library = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';
const fileOf = (host: string) => join(tmpdir(), `paycode-faults-clock-${process.pid}-${host}`);
const [dispatchers, others] = [fileOf('dispatchers'), fileOf('others')];

function shift(file: string, offset: string): void {
  writeFileSync(file, `${offset}\n`);
}

const env = {
  LD_PRELOAD: library,
  FAKETIME_TIMESTAMP_FILE: others,
  FAKETIME_CACHE_DURATION: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};

beforeAll(() => [dispatchers, others].forEach(file => shift(file, '+0')));

const obstacle = existsSync(library) ? undefined : 'libfaketime is not installed (Debian package libfaketime)';

faultSuite('clocks step', { obstacle, env, dispatcherEnv: { FAKETIME_TIMESTAMP_FILE: dispatchers } }, suite => {
  const { faultCase } = suite;
  const shiftAll = (...offsets: [string, string]) => [dispatchers, others].forEach((file, at) => shift(file, offsets[at]!));

  afterEach(() => shiftAll('+0', '+0'));

  faultCase(19, 'the clocks of the hosts step back and forth by an hour, alone and together - no decision changes', async () => {
    for (const [here, there] of [
      ['+1h', '+1h'],
      ['-1h', '-1h'],
      ['+1h', '-1h'],
      ['-1h', '+0'],
    ] as const) {
      // The payment core refuses it until its clock is right again.
      const paid = () => eventually(() => suite.platform.paidTo(hang), patienceMs);
      const [good, bad] = [await paid(), await paid()];
      await eventually(() => expect(good.receiver.posts.length + bad.receiver.posts.length).toBe(2), patienceMs);
      shiftAll(here, there);
      const posted = good.receiver.posts[0]!;
      await eventually(() => expect(posted.elapsedMs()).toBeGreaterThan(0.6 * defaultTimes.ackWindow), patienceMs);
      posted.answer(200);
      await eventually(async () => expect(await suite.platform.verdict(good.id)).toBe('ACKED_HTTP'), patienceMs);
      await eventually(async () => expect(await suite.platform.verdict(bad.id)).toBe('CLOSED_TIMEOUT'), patienceMs);
      shiftAll('+0', '+0');
      await suite.platform.ends(good.id, 'SETTLED');
      await suite.platform.ends(bad.id, 'REVERSED');
      expect(good.receiver.posts).toHaveLength(1);
      expect(bad.receiver.postsOf(bad.id)).toHaveLength(1);
    }
  });
});

const megabytes = 400;
const what = 'intake pauses, acknowledgements are kept, nothing is lost';
const names = ['dispatcher', 'scheduler', 'kafka'] as const;
const dataFolders: Partial<Record<(typeof names)[number], string>> = {};
const disks = {} as Record<(typeof names)[number], SmallDisk>;
// The window outlasts the time without space.
const times = { ...defaultTimes, ackWindow: 20_000, timerDelay: 24_000, dispatchWindow: 90_000, auditDelay: 95_000 };

describe('case 18', () => {
  beforeAll(() => {
    for (const name of names) {
      disks[name] = new SmallDisk(megabytes);
      dataFolders[name] = `${disks[name].folder}/data`;
    }
  });
  afterAll(() => {
    for (const name of names) disks[name].remove();
  });

  faultSuite('a disk is full', { obstacle: SmallDisk.obstacle, events: 'kafka', dataFolders, times }, suite => {
    const { faultCase } = suite;

    for (const name of ['dispatcher', 'scheduler'] as const) {
      faultCase(18, `the disk of the ${name}s' database is full - ${what}`, async () => {
        const { merchantId, receiver } = await suite.platform.merchant(hang);
        const server = suite.platform.databases[name];
        const [inFlight] = await suite.platform.pay(merchantId);
        await eventually(() => expect(receiver.posts).toHaveLength(1), patienceMs);
        receiver.behaviour = post => post.answer(200);
        disks[name].fill();
        // Larger than the free space in existing files.
        const sql = 'create table filler as select repeat(md5(n::text), 100) as x from generate_series(1, 100000) n';
        await expect(server.query(name, sql)).rejects.toThrow();
        receiver.posts[0]!.answer(200);
        const ids = await suite.platform.pay(merchantId, 300);
        disks[name].empty();
        await server.restart();
        for (const id of [inFlight!, ids[0]!, ids.at(-1)!]) await suite.platform.ends(id, 'SETTLED');
        expect((await suite.platform.exactAudit()).reversed).toBe(0);
      });
    }

    faultCase(18, `the disk of Kafka is full - ${what}`, async () => {
      const { merchantId } = await suite.platform.merchant();
      const waiting = async () => {
        const sql = "select count(*)::int as n from outbox, string_to_table(aggregateid, E'\\n')";
        return (await suite.platform.databases.others.query<{ n: number }>('simulator', sql))[0]!.n;
      };
      const ids = await suite.platform.pay(merchantId);
      await suite.platform.ends(ids[0]!, 'SETTLED');
      disks.kafka.fill();
      await eventually(async () => {
        ids.push(...(await suite.platform.pay(merchantId, 100)));
        expect(await waiting()).toBeGreaterThan(200);
      }, patienceMs);
      disks.kafka.empty();
      await suite.platform.events.goDown();
      await suite.platform.events.comeBack();
      for (const id of [ids[1]!, ids.at(-1)!]) await suite.platform.ends(id, 'SETTLED');
      expect((await suite.platform.exactAudit()).reversed).toBe(0);
    });
  });
});
