import { eventually } from '@paycode/service-runtime/testing';
import { hang } from '../environment/fault-receiver.ts';
import { patienceMs, times as defaultTimes } from '../environment/fault-settings.ts';
import { faultSuite } from '../environment/fault-suite.ts';
import { SmallDisk } from '../environment/database-server.ts';

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
