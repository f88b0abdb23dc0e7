import { describeEventTransport } from '../testing/event-transport.conformance';
import { KafkaHarness } from '../testing/kafka-harness';
import { testBrokers } from '../testing/test-brokers';

const brokers = testBrokers();

if (brokers) {
  describeEventTransport('Kafka', () => KafkaHarness.open({ connection: { brokers }, replicationFactor: 1 }));
} else {
  describe('Kafka event transport', () => {
    it('is held to the conformance suite when a broker is given', () => {
      process.stderr.write(
        'Kafka conformance did not run: start a broker with `npm run kafka` and set KAFKA_BROKERS to what it prints\n',
      );
    });
  });
}
