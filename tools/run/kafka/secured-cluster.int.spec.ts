import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { topicCatalog, topics } from '@paycode/dto';
import type { EventBatch, EventTransport, Subscriber } from '@paycode/events';
import { createKafkaClient, KafkaEventTransport } from '@paycode/events/kafka';
import {
  collect,
  describeEventTransport,
  eventOf,
  groupOf,
  KafkaHarness,
  keysNamed,
  numbersOf,
  quietLog,
} from '@paycode/events/testing';
import { eventually } from '@paycode/service-runtime/testing';
import type { Admin } from 'kafkajs';
import { workspaceRoot } from './distribution';
import { type Login, type SecuredCluster, startSecuredCluster } from './secured-cluster';

/** Three brokers, a controller quorum and the tests may share two busy cores. */
const patienceMs = 240_000;
/** A broker applies a new access rule some time after the call that grants it. */
const grantedWithinMs = 240_000;
const isWanted = process.env['PAYCODE_TEST_KAFKA_CLUSTER'] === '1';
const run = promisify(execFile);
let secured: SecuredCluster;

const harness = () => {
  const { cluster, caFile } = secured;
  return KafkaHarness.open({ connection: cluster.connection(), replicationFactor: 3, caFile });
};

function describeCluster(): void {
  beforeAll(async () => {
    secured = await startSecuredCluster();
  }, 400_000);
  afterAll(() => secured?.close(), 300_000);

  describeEventTransport('Kafka with three brokers, TLS, SCRAM and the authorizer', harness);
  describe('access to topics (T-16, T-19)', describeAccess);
  describe('loss of brokers and members', describeLoss);
}

function describeAccess(): void {
  const open: EventTransport[] = [];
  afterEach(() => Promise.all(open.splice(0).map(transport => transport.close())));

  const as = (service: string, { user = secured.userOf(service), cell }: { user?: Login; cell?: string } = {}) => {
    const connection = secured.cluster.connection(user);
    const transport = new KafkaEventTransport({ connection, clientId: service, log: quietLog, cell });
    open.push(transport);
    return transport;
  };
  const event = (topic: string) => eventOf(topic, '1', 1);
  const failure = /not authorized|authorization failed/i;

  it.each(topicCatalog.flatMap(topic => topic.producers.map(service => [service, topic.name])))(
    'lets %s publish on %s',
    async (service, topic) => {
      const transport = as(service);
      await eventually(() => transport.publish([event(topic)]), grantedWithinMs);
    },
  );

  it.each(topicCatalog.flatMap(topic => topic.consumers.map(({ service, group }) => [service, topic.name, group])))(
    'lets %s read %s as %s, and park there',
    async (service, topic, group) => {
      const received: string[] = [];
      const onBatch = async (batch: { events: readonly { id: string }[] }) =>
        void received.push(...batch.events.map(({ id }) => id));
      const transport = as(service);
      await eventually(() => transport.subscribe({ topic, group, onBatch }), grantedWithinMs);
      await eventually(() => expect(received).toContain('1/1'));
    },
  );

  const perCell = topicCatalog.flatMap(({ name, consumers }) =>
    consumers.flatMap(({ service, group, isPerCell }) => (isPerCell ? [[service, name, group] as const] : [])),
  );

  it.each(perCell)('lets a cell of %s read %s by its own group of %s, without a right for this cell (P-1.12)', async (...of) => {
    const [service, topic, group] = of;
    const transport = as(service, { cell: 'b' });
    const received: string[] = [];
    const onBatch = async ({ events }: EventBatch) => void received.push(...events.map(({ id }) => id));
    await eventually(() => transport.subscribe({ topic, group, onBatch }), grantedWithinMs);
    await eventually(() => expect(received).toContain('1/1'));
    await eventually(async () => expect(Math.max(...(await transport.committed(topic, group)).map(Number))).toBeGreaterThan(0));
  });

  const topic = topics.transactionTerminal;
  const asAdmin = async <T>(user: string, work: (admin: Admin) => Promise<T>) => {
    const connection = secured.cluster.connection(secured.userOf(user));
    const admin = createKafkaClient({ connection, clientId: user, log: quietLog }).admin();
    await admin.connect();
    return work(admin).finally(() => admin.disconnect());
  };
  const offsetsAs = (user: string, groupId: string) => asAdmin(user, admin => admin.fetchOffsets({ groupId, topics: [topic] }));

  it.each([
    ['portal', 'webhook-dispatcher@b'],
    ['reversal-scheduler', 'webhook-dispatcher@b'],
    ['webhook-dispatcher', 'reversal-scheduler-audit@b'],
    ['webhook-dispatcher', 'webhook-dispatcherx'],
    ['portal', 'portal@b'],
  ])('refuses %s the group %s, of a cell of another or of a name that only begins like its own (P-1.12)', async (user, group) => {
    // kafkajs hides the reason of the brokers, which answer the owners of these groups.
    await expect(offsetsAs(user, group)).rejects.toThrow('Failed to find group coordinator');
  });

  it('refuses TransactionTerminal from anybody but the payment side: a forged one would make false notices', async () => {
    await expect(as('webhook-dispatcher').publish([event(topics.transactionTerminal)])).rejects.toThrow(failure);
    await expect(as('reversal-scheduler').publish([event(topics.transactionTerminal)])).rejects.toThrow(failure);
  });

  it('refuses AckReceived from the scheduler, and ReversalRequested from the dispatcher', async () => {
    await expect(as('reversal-scheduler').publish([event(topics.ackReceived)])).rejects.toThrow(failure);
    await expect(as('webhook-dispatcher').publish([event(topics.reversalRequested)])).rejects.toThrow(failure);
  });

  it('refuses a service that reads a topic of another, or under the group of another', async () => {
    const onBatch = async () => undefined;
    const foreignTopic = as('payment-simulator').subscribe({ topic: topics.ackReceived, group: 'reversal-scheduler', onBatch });
    await expect(foreignTopic).rejects.toThrow(failure);
    const foreignGroup = as('reversal-scheduler').subscribe({
      topic: topics.transactionTerminal,
      group: 'webhook-dispatcher',
      onBatch,
    });
    await expect(foreignGroup).rejects.toThrow(failure);
  });

  it('lets the autoscaler see the offsets of the dispatchers, and neither read nor write', async () => {
    expect(await asAdmin('keda', admin => admin.fetchTopicOffsets(topic))).toHaveLength(64);
    for (const group of ['webhook-dispatcher', 'webhook-dispatcher@b']) expect(await offsetsAs('keda', group)).toHaveLength(1);
    await expect(as('keda').publish([event(topics.transactionTerminal)])).rejects.toThrow(failure);
    const reading = as('keda').subscribe({
      topic: topics.transactionTerminal,
      group: 'webhook-dispatcher',
      onBatch: async () => undefined,
    });
    await expect(reading).rejects.toThrow(failure);
  });

  describe('paycode groups, as the user operator', () => {
    const group = 'webhook-dispatcher';
    const groups = async (...args: string[]) => {
      const { username: KAFKA_SASL_USERNAME, password: KAFKA_SASL_PASSWORD } = secured.userOf('operator');
      const kafka = { KAFKA_BROKERS: secured.cluster.brokers.join(), KAFKA_TLS_CA_FILE: secured.caFile };
      const env = { ...process.env, ...kafka, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD, NODE_OPTIONS: '' };
      return run(process.execPath, [join(workspaceRoot(), 'apps/operations/src/paycode.ts'), '--json', 'groups', ...args], {
        env,
      });
    };
    const unreadOf = async () => (JSON.parse((await groups('show', group)).stdout) as { unread: number }[])[0]!.unread;
    const idsRead: string[] = [];
    const reading = () => {
      const onBatch = async (batch: { events: readonly { id: string }[] }) =>
        void idsRead.push(...batch.events.map(({ id }) => id));
      return as(group).subscribe({ topic, group, onBatch });
    };

    it('shows groups of cells beside the others, and sets one back (P-1.12)', async () => {
      const core = as('payment-simulator');
      await eventually(() => core.publish([eventOf(topic, 'celled', 1)]), grantedWithinMs);
      const read: string[] = [];
      const onBatch = async ({ events }: EventBatch) => void read.push(...events.map(({ id }) => id));
      const reader = await eventually(() => as(group, { cell: 'b' }).subscribe({ topic, group, onBatch }), grantedWithinMs);
      await eventually(() => expect(read).toContain('celled/1'));
      await reader.stop();
      const shown = async () => JSON.parse((await groups('show')).stdout) as { group: string; state: string; unread: number }[];
      await eventually(async () => {
        const found = (await shown()).filter(({ group }) => group.startsWith('webhook-dispatcher'));
        expect(found.map(each => each.group)).toEqual(['webhook-dispatcher', 'webhook-dispatcher@b']);
        expect(found[1]).toMatchObject({ state: 'Empty', unread: 0 });
      }, grantedWithinMs);
      const since = ['--to', '2026-01-01T00:00:00Z', '--execute'];
      const [rewound] = JSON.parse((await groups('rewind', `${group}@b`, ...since)).stdout) as { unreadAfter: number }[];
      expect(rewound!.unreadAfter).toBeGreaterThan(0);
      await expect(groups('show', `${group}@B!`)).rejects.toThrow(/must be one of .*webhook-dispatcher\[@cell\].*, not/);
    }, 600_000);

    it('sets a group back to an instant, so that a restored service reads again what came since, and only that', async () => {
      const core = as('payment-simulator');
      const reader = await eventually(reading, grantedWithinMs);
      await eventually(() => core.publish([eventOf(topic, 'rewound', 1)]), grantedWithinMs);
      await eventually(() => expect(idsRead).toContain('rewound/1'));
      await pause(20);
      const at = new Date().toISOString();
      await pause(20);
      await core.publish([eventOf(topic, 'rewound', 2)]);
      await eventually(() => expect(idsRead).toContain('rewound/2'));
      await eventually(async () => expect(await unreadOf()).toBe(0));

      await expect(groups('rewind', group, '--to', at, '--execute')).rejects.toThrow(/webhook-dispatcher has members.*stop/);
      await reader.stop();
      await eventually(async () => expect((await groups('show', group)).stdout).toContain('"Empty"'), grantedWithinMs);

      const planned = JSON.parse((await groups('rewind', group, '--to', at)).stdout) as object[];
      expect(planned).toEqual([{ group, topic, unreadBefore: 0, unreadAfter: 1, done: false }]);
      expect(await unreadOf()).toBe(0);
      expect((await groups('rewind', group, '--to', at, '--execute')).stdout).toContain('"done": true');
      expect(await unreadOf()).toBe(1);
      // A later instant would skip events that nobody has read.
      await groups('rewind', group, '--to', new Date().toISOString(), '--execute');
      expect(await unreadOf()).toBe(1);
      idsRead.length = 0;
      await reading();
      await eventually(() => expect(idsRead).toEqual(['rewound/2']));
    }, 600_000);
  });

  it('refuses a wrong password and an unknown user', async () => {
    const wrong = as('webhook-dispatcher', { user: { username: 'webhook-dispatcher', password: 'wrong' } });
    await expect(wrong.publish([event(topics.ackReceived)])).rejects.toThrow(/authentication/i);
    await expect(as('nobody').publish([event(topics.ackReceived)])).rejects.toThrow(/authentication/i);
  });

  it('refuses a client that does not speak TLS', async () => {
    const connection = { brokers: secured.cluster.brokers };
    const plain = new KafkaEventTransport({ connection, clientId: 'plain', log: quietLog });
    open.push(plain);
    await expect(plain.publish([event(topics.ackReceived)])).rejects.toThrow();
  }, 300_000);
}

function describeLoss(): void {
  let own: KafkaHarness;
  beforeAll(async () => {
    own = await harness();
  });
  afterEach(() => own.closeTransports(), 300_000);
  afterAll(() => own.close(), 300_000);

  const keys = keysNamed(12);

  /**
   * Publishes numbered events of every key until told to stop, and repeats each until it is acknowledged. Returns the number per
   * key.
   */
  function publishing(transport: EventTransport, topic: string) {
    let isStopped = false;
    const run = async () => {
      let n = 0;
      for (; !isStopped; n++) {
        const round = keys.map(key => eventOf(topic, key, n));
        await eventually(() => transport.publish(round), patienceMs);
      }
      return n;
    };
    const done = run();
    return { stop: () => ((isStopped = true), done) };
  }

  /** At least once and in order: the first appearances of a key count up without a gap. */
  async function expectComplete(events: () => Parameters<typeof numbersOf>[0], rounds: number): Promise<void> {
    const wanted = Array.from({ length: rounds }, (_, n) => n);
    await eventually(() => {
      for (const key of keys) expect([...new Set(numbersOf(events(), key))]).toEqual(wanted);
    }, patienceMs);
  }

  it('loses no acknowledged event when the machine of a leader dies, one after another', async () => {
    const topic = await own.topic(6);
    const collected = await collect(await own.open(), { topic });
    const publisher = publishing(await own.open(), topic);
    for (const node of secured.cluster.nodes) {
      const before = collected.events.length;
      await node.kill();
      await eventually(() => expect(collected.events.length).toBeGreaterThan(before + 120), patienceMs);
      node.start();
      await secured.cluster.ready();
    }
    await expectComplete(() => collected.events, await publisher.stop());
  }, 900_000);

  it('continues through a rolling restart of all brokers', async () => {
    const topic = await own.topic(6);
    const collected = await collect(await own.open(), { topic });
    const publisher = publishing(await own.open(), topic);
    for (const node of secured.cluster.nodes) {
      await node.stop();
      node.start();
      await secured.cluster.ready();
      const before = collected.events.length;
      await eventually(() => expect(collected.events.length).toBeGreaterThan(before + 60), patienceMs);
    }
    await expectComplete(() => collected.events, await publisher.stop());
  }, 900_000);

  it('hands over every event while members join and leave constantly', async () => {
    const topic = await own.topic(6);
    const events: Parameters<typeof numbersOf>[0][number][] = [];
    const transports = await Promise.all(keysNamed(4).map(() => own.open()));
    const publisher = publishing(await own.open(), topic);
    const join = (at: number) =>
      transports[at % transports.length]!.subscribe({
        topic,
        group: groupOf(topic),
        onBatch: async batch => void events.push(...batch.events),
      });
    const members: Subscriber[] = [await join(0)];
    for (let turn = 1; turn <= 8; turn++) {
      members.push(await join(turn));
      if (turn % 2 === 0) await members.shift()!.stop();
      const before = events.length;
      await eventually(() => expect(events.length).toBeGreaterThan(before + 24), patienceMs);
    }
    const rounds = await publisher.stop();
    await eventually(() => {
      for (const key of keys) expect(new Set(numbersOf(events, key)).size).toBe(rounds);
    }, patienceMs);
  }, 900_000);
}

const notRun = isWanted ? '' : ' (not run: npm run prove -- kafka-cluster runs it, with Java 17 and Maven)';
(isWanted ? describe : describe.skip)(`a secured cluster of three brokers${notRun}`, describeCluster);
