import { events } from './events';
import { deadLetterTopics } from './topic-catalog';

describe('the topic catalog', () => {
  it('has one dead-letter topic of one partition per topic and group', () => {
    const { transactionTerminal, ackReceived } = events;
    expect(
      deadLetterTopics([transactionTerminal.topic, ackReceived.topic]).map(({ name, partitions }) => `${name} ${partitions}`),
    ).toEqual([
      'paycode.transaction.terminal.v1.webhook-dispatcher.dlq 1',
      'paycode.transaction.terminal.v1.reversal-scheduler-audit.dlq 1',
      'paycode.transaction.terminal.v1.recipient-messages.dlq 1',
      'paycode.transaction.ack-received.v1.reversal-scheduler.dlq 1',
    ]);
  });

  it('keeps shard % 64 equal to the partition of TransactionTerminal', () => {
    expect(256 % events.transactionTerminal.topic.partitions).toBe(0);
  });
});
