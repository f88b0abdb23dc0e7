import { describeEventTransport } from '../testing/event-transport.conformance';
import { KafkaHarness } from '../testing/kafka-harness';
import { testBrokers } from '../testing/test-brokers';

const brokers = testBrokers();

const notRun = brokers ? '' : ' (not run: no KAFKA_BROKERS)';

(brokers ? describe : describe.skip)(`the Kafka event transport${notRun}`, () =>
  describeEventTransport('Kafka', () => KafkaHarness.open({ connection: { brokers: brokers ?? [] }, replicationFactor: 1 })),
);

it('Kafka may go unproven only where no broker is required', () => {
  expect(() => testBrokers({ PAYCODE_REQUIRE_KAFKA: '1' })).toThrow('a Kafka broker is required here');
});
