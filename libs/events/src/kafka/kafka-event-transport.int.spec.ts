import { eventually } from '@paycode/service-runtime/testing';
import type { EventTransport } from '../event-transport';
import { collect, interleaved } from '../testing/collector';
import { describeEventTransport } from '../testing/event-transport.conformance';
import { KafkaHarness } from '../testing/kafka-harness';
import { LoadingCoordinator } from '../testing/loading-coordinator';
import { testBrokers } from '../testing/test-brokers';

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
});

it('Kafka may go unproven only where no broker is required', () => {
  expect(() => testBrokers({ PAYCODE_REQUIRE_KAFKA: '1' })).toThrow('a Kafka broker is required here');
});
