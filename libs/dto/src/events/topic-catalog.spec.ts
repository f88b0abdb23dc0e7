import { events } from './events';
import { deadLetterTopic, deadLetterTopics, isDeadLetterTopic, topicCatalog } from './topic-catalog';

describe('the topic catalog', () => {
  it('has one dead-letter topic of one partition per topic and group', () => {
    const { transactionTerminal, ackReceived } = events;
    expect(
      deadLetterTopics([transactionTerminal.topic, ackReceived.topic]).map(({ name, partitions }) => `${name} ${partitions}`),
    ).toEqual([
      'paycode.transaction.terminal.v1.webhook-dispatcher.dlq 1',
      'paycode.transaction.terminal.v1.reversal-scheduler-audit.dlq 1',
      'paycode.transaction.terminal.v1.recipient-messages.dlq 1',
      'paycode.transaction.terminal.v1.portal.dlq 1',
      'paycode.transaction.ack-received.v1.reversal-scheduler.dlq 1',
      'paycode.transaction.ack-received.v1.portal-acks.dlq 1',
    ]);
  });

  it('the service that parks there writes a dead-letter topic, and no group reads it', () => {
    const services = topicCatalog.flatMap(({ consumers }) => consumers.map(({ service }) => service));
    expect(deadLetterTopics(topicCatalog).map(({ producers, consumers }) => [producers, consumers])).toStrictEqual(
      services.map(service => [[service], []]),
    );
  });

  it('knows a dead-letter topic by its name', () => {
    const names = [deadLetterTopic('paycode.a.v1', 'group'), 'paycode.a.v1', '.dlq.paycode.a.v1'];
    expect(names.map(isDeadLetterTopic)).toEqual([true, false, false]);
  });

  it('keeps shard % 64 equal to the partition of TransactionTerminal', () => {
    expect(256 % events.transactionTerminal.topic.partitions).toBe(0);
  });
});
