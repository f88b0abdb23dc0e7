import { describeEventTransport } from '../testing/event-transport.conformance';
import { KafkaHarness } from '../testing/kafka-harness';
import { testBrokers } from '../testing/test-brokers';

const brokers = testBrokers();

if (brokers) {
  describeEventTransport('Kafka', () => KafkaHarness.open({ connection: { brokers }, replicationFactor: 1 }));
} else {
  describe('Kafka event transport', () => {
    process.stderr.write(
      'Kafka conformance did not run: start a broker with `npm run kafka` and set KAFKA_BROKERS to what it prints\n',
    );

    it('may go unproven only where no broker is required', () => {
      expect(() => testBrokers({ PAYCODE_REQUIRE_KAFKA: '1' })).toThrow('a Kafka broker is required here');
    });
  });
}
