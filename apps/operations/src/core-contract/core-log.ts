import { randomUUID } from 'node:crypto';
import { type Consumer, Kafka, type KafkaConfig, logLevel, type Producer } from 'kafkajs';
import { topicCatalog } from '../../../../libs/dto/src/events/events.ts';

/** A record of paycode.transaction.terminal.v1, as the broker has it. */
export interface LogRecord {
  key: string | null;
  headers: Readonly<Record<string, string>>;
  value: string;
  /** Time of the log, milliseconds since the epoch. */
  timestampMs: number;
}

/** A record for paycode.transaction.reversal-requested.v1. */
export interface RequestRecord {
  key: string;
  headers: Readonly<Record<string, string>>;
  value: string;
}

/** The two topics between a core and Paycode. */
export abstract class CoreLog {
  /** Every record of the terminal topic since the run began; those of one key in order. */
  readonly terminals: LogRecord[] = [];
  private waiting: (() => void)[] = [];

  /** Resolves once the log has the records, in this order, on one partition: a core then sees them in this order. */
  abstract request(records: readonly RequestRecord[]): Promise<void>;
  abstract close(): Promise<void>;

  /** The first record that matches, received already or to come; undefined after `withinMs`. */
  async find(matches: (record: LogRecord) => boolean, withinMs: number): Promise<LogRecord | undefined> {
    const giveUp = AbortSignal.timeout(withinMs);
    for (let looked = 0; ;) {
      const found = this.terminals.slice(looked).find(matches);
      if (found || giveUp.aborted) return found;
      looked = this.terminals.length;
      await new Promise<void>(resolve => {
        this.waiting.push(resolve);
        giveUp.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  }

  protected received(record: LogRecord): void {
    this.terminals.push(record);
    this.waiting.splice(0).forEach(wake => wake());
  }
}

/** Data of a record; undefined when it is no JSON object. */
export function dataOf({ value }: Pick<LogRecord, 'value'>): Record<string, unknown> | undefined {
  const data = jsonIn(value);
  return typeof data === 'object' && data !== null && !Array.isArray(data) ? (data as Record<string, unknown>) : undefined;
}

/** The items of a JSON array; none in any other text. */
export function listIn<Item>(text: string): Item[] {
  const items = jsonIn(text);
  return Array.isArray(items) ? (items as Item[]) : [];
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Begin of the names of consumer groups: an access rule may name it. */
const groupPrefix = 'paycode-core-contract-';
const joinMs = 60_000;
/** Any partition serves, as long as all requests of a run share it. */
const requestPartition = 0;

const topicOf = (type: string): string => topicCatalog.find(({ name }) => name.includes(type))!.name;
const terminalTopic = topicOf('.terminal.');
const requestTopic = topicOf('.reversal-requested.');

/** The topics on a real broker. Reads only what is published from now on, with a group of its own that commits nothing. */
export class KafkaCoreLog extends CoreLog {
  private readonly consumer: Consumer;
  private readonly producer: Producer;

  private constructor(kafka: Kafka) {
    super();
    this.consumer = kafka.consumer({ groupId: groupPrefix + randomUUID() });
    this.producer = kafka.producer({ idempotent: true, maxInFlightRequests: 1 });
  }

  /** @throws Error when the brokers do not answer or refuse */
  static async open(config: KafkaConfig): Promise<KafkaCoreLog> {
    const kafka = new Kafka({ clientId: 'paycode-core-contract', logLevel: logLevel.NOTHING, ...config });
    const ends = await endsOf(kafka);
    const log = new KafkaCoreLog(kafka);
    try {
      await Promise.all([log.consumer.connect(), log.producer.connect()]);
      await log.follow(ends);
    } catch (error) {
      await log.close();
      throw error;
    }
    return log;
  }

  override async request(records: readonly RequestRecord[]): Promise<void> {
    const messages = records.map(({ key, value, headers }) => ({ key, value, headers, partition: requestPartition }));
    await this.producer.send({ topic: requestTopic, acks: -1, messages });
  }

  override async close(): Promise<void> {
    await Promise.all([this.consumer.disconnect(), this.producer.disconnect()]);
  }

  private async follow(ends: readonly { partition: number; offset: string }[]): Promise<void> {
    const joined = Promise.withResolvers<void>();
    const tooLate = setTimeout(
      () => joined.reject(new Error(`no partition of ${terminalTopic} was assigned within a minute`)),
      joinMs,
    );
    this.consumer.on(this.consumer.events.GROUP_JOIN, () => joined.resolve());
    this.consumer.on(this.consumer.events.CRASH, ({ payload }) => joined.reject(payload.error));
    await this.consumer.subscribe({ topic: terminalTopic, fromBeginning: false });
    await this.consumer.run({
      autoCommit: false,
      eachMessage: async ({ message: { key, value, headers = {}, timestamp } }) => {
        const texts = Object.entries(headers).flatMap(([name, text]) => (text === undefined ? [] : [[name, String(text)]]));
        const record = { key: key?.toString() ?? null, value: value?.toString() ?? '', timestampMs: Number(timestamp) };
        this.received({ ...record, headers: Object.fromEntries(texts) as Record<string, string> });
      },
    });
    await joined.promise.finally(() => clearTimeout(tooLate));
    for (const end of ends) this.consumer.seek({ topic: terminalTopic, ...end });
  }
}

async function endsOf(kafka: Kafka): Promise<{ partition: number; offset: string }[]> {
  const admin = kafka.admin();
  await admin.connect();
  try {
    const offsets = await admin.fetchTopicOffsets(terminalTopic);
    return offsets.map(({ partition, high }) => ({ partition, offset: high }));
  } finally {
    await admin.disconnect();
  }
}
