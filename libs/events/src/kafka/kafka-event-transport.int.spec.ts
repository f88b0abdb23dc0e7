import { eventually } from '@paycode/service-runtime/testing';
import type { Admin } from 'kafkajs';
import type { EventTransport } from '../event-transport';
import { encodeBounded } from '../record/cloud-event';
import { collect, firstArrivalsOf, interleaved, keysNamed } from '../testing/collector';
import { describeEventTransport } from '../testing/event-transport.conformance';
import { KafkaHarness, testBrokers } from '../testing/kafka-harness';
import { LoadingCoordinator } from '../testing/loading-coordinator';
import { groupOf } from '../testing/transport-harness';

const brokers = testBrokers();

const notRun = brokers ? '' : ' (not run: no KAFKA_BROKERS)';

(brokers ? describe : describe.skip)(`the Kafka event transport${notRun}`, () => {
  const connection = { brokers: brokers ?? [] };
  describeEventTransport('Kafka', () => KafkaHarness.open({ connection, replicationFactor: 1 }));

  describe('a coordinator that still loads its groups (ADR 0004)', () => {
    let harness: KafkaHarness;
    let coordinator: LoadingCoordinator | undefined;
    let transport: EventTransport | undefined;
    beforeAll(async () => {
      harness = await KafkaHarness.open({ connection, replicationFactor: 1 });
    });
    afterEach(async () => {
      await transport?.close();
      await coordinator?.close();
    });
    afterAll(() => harness.close());

    /** A transport whose first joins are refused by that, so many. */
    const openBehind = async (refusals: number, limits: { firstJoinMs?: number } = {}) => {
      coordinator = await LoadingCoordinator.open(connection.brokers[0]!, refusals);
      const { socketFactory } = coordinator;
      transport = await harness.openTransport({ connection: { ...connection, socketFactory }, ...limits });
      return transport;
    };

    it('a subscriber that starts joins as soon as the groups are loaded', async () => {
      const topic = await harness.topic(1);
      const behind = await openBehind(5);
      await behind.publish(interleaved(topic, ['k'], 3));
      const collected = await collect(behind, { topic });
      await eventually(() => expect(collected.ids()).toEqual(['k/0', 'k/1', 'k/2']));
      expect(coordinator!.refused).toBe(5);
    });

    it('a subscriber that starts fails with that reason when they are not loaded in time', async () => {
      const topic = await harness.topic(1);
      const behind = await openBehind(Infinity, { firstJoinMs: 500 });
      await expect(collect(behind, { topic })).rejects.toMatchObject({ type: 'GROUP_LOAD_IN_PROGRESS' });
    });
  });

  describe('topics and groups that operators changed (ADR 0004)', () => {
    let harness: KafkaHarness;
    const asAdmin = async <T>(work: (admin: Admin) => Promise<T>): Promise<T> => {
      const admin = harness.kafka.admin();
      await admin.connect();
      return work(admin).finally(() => admin.disconnect());
    };
    const produce = async (topic: string, partition: number, key: string) => {
      const producer = harness.kafka.producer({ allowAutoTopicCreation: false });
      await producer.connect();
      await producer.send({ topic, messages: [{ ...encodeBounded(interleaved(topic, [key], 1)[0]!), partition }] });
      await producer.disconnect();
    };
    beforeAll(async () => {
      harness = await KafkaHarness.open({ connection, replicationFactor: 1 });
    });
    afterAll(() => harness.close());

    it('regression: with partitions added, the events of a key stay in order, and what others write into the new ones arrives', async () => {
      const topic = await harness.topic(2);
      await asAdmin(admin => admin.createPartitions({ topicPartitions: [{ topic, count: 4 }] }));
      const transport = await harness.open();
      expect(await transport.partitionCount(topic)).toBe(2);
      const collected = await collect(transport, { topic });
      await transport.publish(interleaved(topic, keysNamed(8), 3));
      for (const partition of [2, 3]) await produce(topic, partition, `foreign-${partition}`);
      await eventually(() => expect(new Set(collected.ids()).size).toBe(26));
      for (const key of keysNamed(8)) expect(firstArrivalsOf(collected.events, key)).toEqual([0, 1, 2]);
    });

    it('a topic with fewer partitions than its events need is refused, with the command that adds them', async () => {
      const topic = await harness.topic(2);
      const definition = harness.definitions.find(({ name }) => name === topic)!;
      definition.partitions = 4;
      const command = `kafka-topics.sh --alter --topic ${topic} --partitions 4`;
      await expect((await harness.open()).publish(interleaved(topic, ['k'], 1))).rejects.toThrow(
        `has 2 partitions and needs 4: ${command}`,
      );
    });

    it.each<[string, (admin: Admin, of: { topic: string; group: string }) => Promise<unknown>]>([
      ['the group was deleted', (admin, { group }) => admin.deleteGroups([group])],
      [
        'the broker dropped records that the group had still to read',
        async (admin, { topic }) => {
          // kafkajs deletes records of topics alone that it has asked about.
          await admin.fetchTopicOffsets(topic);
          await admin.deleteTopicRecords({ topic, partitions: [{ partition: 0, offset: '5' }] });
        },
      ],
    ])('after %s, a subscriber reads on from the oldest event that is there, and misses none', async (_, change) => {
      const group = 'lost-offsets';
      const topic = await harness.topic(1, [group]);
      const transport = await harness.open();
      await transport.publish(interleaved(topic, ['k'], 3));
      const before = await collect(transport, { topic, group });
      await eventually(() => expect(before.ids()).toHaveLength(3));
      await before.subscriber.stop();
      await transport.publish(interleaved(topic, ['l'], 6));
      await asAdmin(admin => change(admin, { topic, group: groupOf(topic, group) }));
      const [offsets] = await asAdmin(admin => admin.fetchTopicOffsets(topic));
      const after = await collect(transport, { topic, group });
      const left = [...['k/0', 'k/1', 'k/2'], ...['l/0', 'l/1', 'l/2', 'l/3', 'l/4', 'l/5']].slice(Number(offsets!.low));
      await eventually(() => expect(after.ids()).toEqual(left));
    });
  });
});

it('Kafka may go unproven only where no broker is required', () => {
  expect(() => testBrokers({ PAYCODE_REQUIRE_KAFKA: '1' })).toThrow('a Kafka broker is required here');
});
