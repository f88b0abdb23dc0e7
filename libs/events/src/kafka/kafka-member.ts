import { type Consumer, type EachBatchPayload, type Kafka, PartitionAssigners } from 'kafkajs';
import { withinTime } from '../delivery/within-time';
import type { JoinHooks } from './kafkajs-repairs';

export interface KafkaMemberOptions {
  kafka: Kafka;
  topic: string;
  group: string;
  sessionTimeoutMs: number;
  hooks: JoinHooks;
  onBatch(payload: EachBatchPayload): Promise<void>;
  /** The member is alive: it fetched, sent a heartbeat or joined. */
  onTurn(): void;
  /** kafkajs has given up; this member is dead. */
  onCrash(error: Error): void;
}

const closeTimeoutMs = 10_000;

/** One kafkajs consumer, from connecting to its end. A crashed one is not restarted; its owner makes a new one. */
export class KafkaMember {
  readonly consumer: Consumer;

  constructor(private readonly options: KafkaMemberOptions) {
    const { kafka, group, sessionTimeoutMs, hooks } = options;
    this.consumer = kafka.consumer({
      groupId: group,
      allowAutoTopicCreation: false,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: sessionTimeoutMs,
      heartbeatInterval: Math.min(1_000, Math.floor(sessionTimeoutMs / 10)),
      // A long poll answers at once when records arrive. Its length only bounds how soon a resumed partition is fetched.
      maxWaitTimeInMs: 250,
      maxBytesPerPartition: 262_144,
      maxBytes: 5_242_880,
      retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 2_000, restartOnFailure: async () => false },
      partitionAssigners: [config => Object.assign(PartitionAssigners.roundRobin(config), hooks)],
    });
    this.follow();
  }

  async run(): Promise<void> {
    const { topic, onBatch } = this.options;
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [topic], fromBeginning: true });
    await this.consumer.run({ autoCommit: false, eachBatchAutoResolve: false, eachBatch: onBatch });
  }

  /** Leaves the group, within a time limit, because kafkajs may wait without end. */
  close(): Promise<void> {
    return withinTime(this.consumer.disconnect(), closeTimeoutMs, 'kafka consumer close');
  }

  private follow(): void {
    const { FETCH, HEARTBEAT, GROUP_JOIN, CONNECT, CRASH } = this.consumer.events;
    for (const event of [FETCH, HEARTBEAT, GROUP_JOIN, CONNECT] as const) this.consumer.on(event, () => this.options.onTurn());
    this.consumer.on(CRASH, ({ payload }) => this.options.onCrash(payload.error));
  }
}
