import type { TopicDefinition } from '@paycode/dto';
import type { EventTransport, TransportLog } from '../event-transport';
import type { EventsEnv } from '../events-env';

/** Operations on an implementation that the conformance suite needs. */
export abstract class TransportHarness {
  /** Topics made by `topic`; every transport of the harness knows them. */
  protected readonly topics: TopicDefinition[] = [];
  private readonly transports: EventTransport[] = [];
  private topicCount = 0;

  /** Environment from which another process opens the same transport. */
  abstract readonly env: EventsEnv;
  /** A transport of its own, as another replica would have. */
  protected abstract openTransport(): Promise<EventTransport>;
  protected abstract createTopic(topic: TopicDefinition): Promise<void>;
  /** Writes a record under `key` whose value is not JSON. */
  abstract plantUndecodable(topic: string, key: string): Promise<void>;
  /** The records of a topic, undecoded. */
  abstract rawRecords(topic: string): Promise<RawLetter[]>;
  /** A transport whose connections can be cut. */
  abstract openSeverable(): Promise<Severable>;
  protected abstract tearDown(): Promise<void>;

  /** A new topic with dead letters for `groups` (`groupOf`). */
  async topic(partitions: number, groups: readonly string[] = ['']): Promise<string> {
    const name = `paycode.conformance.t${++this.topicCount}-${process.pid}-${Date.now()}.v1`;
    const consumers = groups.map(group => ({ group: groupOf(name, group), service: 'conformance' }));
    const topic: TopicDefinition = {
      name,
      partitions,
      retentionMs: 3_600_000,
      cleanupPolicy: 'delete',
      producers: [],
      consumers,
    };
    await this.createTopic(topic);
    this.topics.push(topic);
    return name;
  }

  async openWithTopic(partitions: number, groups?: readonly string[]): Promise<{ topic: string; transport: EventTransport }> {
    return { topic: await this.topic(partitions, groups), transport: await this.open() };
  }

  get definitions(): readonly TopicDefinition[] {
    return this.topics;
  }

  async open(): Promise<EventTransport> {
    const transport = await this.openTransport();
    this.transports.push(transport);
    return transport;
  }

  async closeTransports(): Promise<void> {
    await Promise.all(this.transports.splice(0).map(transport => transport.close()));
  }

  async close(): Promise<void> {
    await this.closeTransports();
    await this.tearDown();
  }
}

/** A group belongs to one topic: on Kafka its name is known to the whole cluster. */
export function groupOf(topic: string, name = ''): string {
  return `g${name}.${topic}`;
}

export interface RawLetter {
  key: string;
  value: string;
  /** dlq_reason. */
  reason: string | null;
}

export interface Severable {
  transport: EventTransport;
  sever(): void;
  restore(): Promise<void>;
}

const say = (level: string) => (fields: Record<string, unknown>, message: string) => {
  if (process.env['PAYCODE_TEST_LOG'] !== '1') return;
  const error = fields['err'] instanceof Error ? fields['err'].message : '';
  process.stderr.write(
    `${new Date().toISOString()} ${level} ${message} ${JSON.stringify({ ...fields, err: undefined })} ${error}\n`,
  );
};

/** Keeps warnings out of the test output (PAYCODE_TEST_LOG=1 shows them); what matters is asserted through behaviour. */
export const quietLog: TransportLog = { info: say('info'), warn: say('warn'), error: say('error') };
