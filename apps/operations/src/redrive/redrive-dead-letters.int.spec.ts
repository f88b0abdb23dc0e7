import { randomUUID } from 'node:crypto';
import { type IHeaders, Kafka, logLevel, Partitioners } from 'kafkajs';
import { type DeadLetter, redriveDeadLetters, topicOfDeadLetters } from './redrive-dead-letters';

const brokers = process.env['KAFKA_BROKERS']?.split(',');
// Never silently: where a broker is required its absence fails the run, elsewhere the title says why it did not run.
if (!brokers && process.env['PAYCODE_REQUIRE_KAFKA'] === '1')
  throw new Error('PAYCODE_REQUIRE_KAFKA=1, but KAFKA_BROKERS is not set');
const notRun = brokers ? '' : ' (not run: no KAFKA_BROKERS)';
const onKafka = brokers ? describe : describe.skip;

it('knows the dead-letter topics of the platform and no others', () => {
  expect(topicOfDeadLetters('paycode.transaction.terminal.v1.webhook-dispatcher.dlq')).toBe('paycode.transaction.terminal.v1');
  expect(() => topicOfDeadLetters('paycode.transaction.terminal.v1')).toThrow(
    'paycode.transaction.terminal.v1.recipient-messages.dlq',
  );
});

onKafka(`redriving dead letters on a real Kafka${notRun}`, () => {
  const kafka = new Kafka({ clientId: 'redrive-test', brokers: brokers ?? [], logLevel: logLevel.NOTHING });
  const topic = `redrive.${randomUUID()}`;
  const deadLetterTopic = `${topic}.group.dlq`;
  const admin = kafka.admin();
  const reported: DeadLetter[] = [];
  const redrive = (isListOnly = false) => {
    reported.length = 0;
    return redriveDeadLetters({ kafka, topic, deadLetterTopic, isListOnly, report: letter => void reported.push(letter) });
  };

  beforeAll(async () => {
    await admin.connect();
    const topics = [topic, deadLetterTopic].map((name, index) => ({
      topic: name,
      numPartitions: index === 0 ? 4 : 1,
      replicationFactor: 1,
    }));
    await admin.createTopics({ topics, waitForLeaders: true });
    await park(['7', '8', '7']);
  });
  afterAll(async () => {
    await admin.deleteTopics({ topics: [topic, deadLetterTopic] });
    await admin.disconnect();
  });

  async function park(keys: string[]): Promise<void> {
    const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
    await producer.connect();
    const messages = keys.map((key, index) => ({
      key,
      value: `body ${index}`,
      headers: { ce_id: `id-${index}`, dlq_reason: 'handler failed' },
    }));
    await producer.send({ topic: deadLetterTopic, messages });
    await producer.disconnect();
  }

  /** Everything on the topic now, by partition and offset. */
  async function sent(): Promise<{ key: string; value: string; headers: IHeaders }[]> {
    const count = (await admin.fetchTopicOffsets(topic)).reduce((sum, { high }) => sum + Number(high), 0);
    const consumer = kafka.consumer({ groupId: `reader-${randomUUID()}` });
    await consumer.connect();
    await consumer.subscribe({ topic, fromBeginning: true });
    const records: { key: string; value: string; headers: IHeaders }[] = [];
    await new Promise<void>(resolve => {
      if (count === 0) return resolve();
      void consumer.run({
        eachMessage: async ({ message }) => {
          records.push({ key: message.key!.toString(), value: message.value!.toString(), headers: message.headers! });
          if (records.length === count) resolve();
        },
      });
    });
    await consumer.disconnect();
    return records;
  }

  it('listing shows the records and their reasons, and changes nothing', async () => {
    expect(await redrive(true)).toBe(3);
    expect(reported.map(({ key, reason }) => [key, reason])).toEqual([
      ['7', 'handler failed'],
      ['8', 'handler failed'],
      ['7', 'handler failed'],
    ]);
    expect(await sent()).toEqual([]);
  });

  it('sends each record back once, in order per key, as received but without the reason', async () => {
    expect(await redrive()).toBe(3);
    const records = await sent();
    expect(records.filter(({ key }) => key === '7').map(({ value }) => value)).toEqual(['body 0', 'body 2']);
    expect(records.map(({ headers }) => Object.keys(headers))).toEqual([['ce_id'], ['ce_id'], ['ce_id']]);
  });

  it('a second run sends only the records parked since', async () => {
    expect(await redrive()).toBe(0);
    await park(['9']);
    expect(await redrive()).toBe(1);
    expect(reported.map(({ key }) => key)).toEqual(['9']);
  });
});
