import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { topics } from '@paycode/dto';
import { parse } from 'yaml';
import { deadLetterDefaults, deadLetterTopics, topicCatalog, topicDefaults } from './topic-catalog';

const reference = parse(readFileSync(join(__dirname, '../../../../docs/reference/topics.yaml'), 'utf8'));

describe('the topic catalog', () => {
  it('equals docs/reference/topics.yaml', () => {
    expect({ defaults: topicDefaults, deadLetters: deadLetterDefaults, topics: topicCatalog }).toEqual(reference);
  });

  it('knows every topic that events are published on', () => {
    expect(topicCatalog.map(topic => topic.name).sort()).toEqual(Object.values(topics).sort());
  });

  it('has one dead-letter topic of one partition per topic and group', () => {
    expect(deadLetterTopics(topicCatalog).map(({ name, partitions }) => `${name} ${partitions}`)).toEqual([
      'paycode.transaction.terminal.v1.webhook-dispatcher.dlq 1',
      'paycode.transaction.terminal.v1.reversal-scheduler-audit.dlq 1',
      'paycode.transaction.terminal.v1.recipient-messages.dlq 1',
      'paycode.transaction.ack-received.v1.reversal-scheduler.dlq 1',
      'paycode.transaction.reversal-requested.v1.payment-simulator.dlq 1',
      'paycode.transaction.reversal-requested.v1.reversal-scheduler-restore.dlq 1',
    ]);
  });

  it('gives each topic consumer groups of its own, for a Kafka group spans topics', () => {
    const groups = topicCatalog.flatMap(topic => topic.consumers.map(({ group }) => group));
    expect(new Set(groups).size).toBe(groups.length);
  });

  it('keeps lane % 64 equal to the partition of TransactionTerminal', () => {
    expect(256 % topicCatalog.find(topic => topic.name === topics.transactionTerminal)!.partitions).toBe(0);
  });
});
