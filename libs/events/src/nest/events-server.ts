import {
  applyDecorators,
  type ArgumentsHost,
  Catch,
  type FactoryProvider,
  type RpcExceptionFilter,
  UseFilters,
} from '@nestjs/common';
import { BaseRpcContext, type CustomTransportStrategy, EventPattern, type MessageHandler, Server } from '@nestjs/microservices';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { scrapedGauge } from '@paycode/service-runtime/metrics';
import { lastValueFrom, type Observable, throwError } from 'rxjs';
import type { DeadLetterStore } from '../dead-letters/dead-letter.store';
import { deliverBatch } from '../delivery/deliver-batch';
import {
  type EventBatch,
  EventTransport,
  type RawRecord,
  type Subscriber,
  type SubscriberProgress,
  type Subscription,
  type TransportLog,
} from '../event-transport';

/** Nest would log the error and replace it by `Internal server error`; the transport needs the error itself. */
@Catch()
export class PassErrorFilter implements RpcExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}

/** `group`: as in docs/reference/topics.yaml. */
export type OnEventsOptions = Pick<Subscription, 'group' | 'batchMax' | 'minAgeMs' | 'gatherMs'>;

/**
 * `@EventPattern` for a batch handler: the method receives the `EventBatch` as `@Payload()`. Its promise decides: resolved, the batch is
 * committed; rejected, it comes again.
 */
export function OnEvents(topic: string, options: OnEventsOptions): MethodDecorator {
  return applyDecorators(EventPattern<string>(topic, { ...options }), UseFilters(PassErrorFilter));
}

export interface EventsServerOptions {
  transport: EventTransport;
  log: TransportLog;
  /** If given, the server reports its liveness there and stops consuming when the service drains. */
  lifecycle?: Lifecycle;
  /** A consume loop without progress for this long has failed. Default 90,000. */
  stalledAfterMs?: number;
  /** Called then. Default: exit, so that the process is restarted. */
  onStalled?(): void;
}

interface Handler {
  topic: string;
  options: OnEventsOptions;
  callback: MessageHandler;
}

/** A record that was parked, from where it stood (`partition/offset`). */
interface ParkedRecord {
  topic: string;
  group: string;
  place: string;
  raw: RawRecord;
}

interface Running {
  topic: string;
  group: string;
  subscriber: Subscriber;
}

const notTaken = 'this cell no longer takes events of that offset';
const watchEveryMs = 5_000;
const stalledAfterMsDefault = 90_000;

/**
 * Nest transport strategy over the event port: every `@OnEvents` (or `@EventPattern(topic, { group, … })`) method becomes a subscription. Unlike
 * Nest's own Kafka transport it delivers batches, keeps topics separate, and redelivers after a failure.
 */
export class EventsServer extends Server implements CustomTransportStrategy {
  /** Failures reach the transport, which redelivers. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly handlers: Handler[] = [];
  private running: Running[] = [];
  private stopped?: Promise<void>;
  private watchdog?: NodeJS.Timeout;
  private stalledSeen = 0;
  private letters?: Pick<DeadLetterStore, 'keep'>;
  private readonly ranges = new Map<string, NonNullable<Subscription['rangeOf']>>();

  constructor(private readonly options: EventsServerOptions) {
    super();
    const { lifecycle } = options;
    lifecycle?.addCheck({ name: 'events', kind: 'live', check: () => this.stalled() });
    lifecycle?.addCheck({
      name: 'events',
      kind: 'ready',
      check: () => (this.running.length === this.handlers.length ? undefined : 'joining'),
    });
    lifecycle?.onDrain('events', () => this.close());
  }

  override addHandler(...given: Parameters<Server['addHandler']>): void {
    const [, callback, , extras = {}] = given;
    const topic = String(given[0]);
    if (typeof extras['group'] !== 'string') throw new Error(`the handler of ${topic} names no consumer group`);
    const options = extras as unknown as OnEventsOptions;
    if (this.handlers.some(handler => handler.topic === topic && handler.options.group === options.group)) {
      throw new Error(`two handlers of ${topic} share the group ${options.group}: each would see a part of the events`);
    }
    this.handlers.push({ topic, options, callback });
  }

  async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      for (const handler of this.handlers) await this.start(handler);
      this.observeLag();
      this.watchdog = setInterval(() => this.watch(), watchEveryMs).unref();
    } catch (error) {
      await this.close();
      return callback(error);
    }
    callback();
  }

  /** Finishes the running batches, commits, leaves the groups. Idempotent. */
  close(): Promise<void> {
    return (this.stopped ??= this.stopAll());
  }

  pause(topic: string): void {
    for (const { subscriber } of this.of(topic)) subscriber.pause();
  }

  resume(topic: string): void {
    for (const { subscriber } of this.of(topic)) subscriber.resume();
  }

  /** From `listen` on, the groups that read the topic take these ranges alone. */
  takeRanges(topic: string, rangeOf: NonNullable<Subscription['rangeOf']>): void {
    this.ranges.set(topic, rangeOf);
  }

  /** The ranges of the topic have changed. */
  followRanges(topic: string): void {
    for (const { subscriber } of this.of(topic)) subscriber.followRanges();
  }

  progress(): (SubscriberProgress & { topic: string; group: string })[] {
    return this.running.map(({ topic, group, subscriber }) => ({ topic, group, ...subscriber.progress() }));
  }

  /** Why the consumers have failed, or undefined. */
  stalled(): string | undefined {
    const limitMs = this.options.stalledAfterMs ?? stalledAfterMsDefault;
    const stuck = this.progress().filter(({ sinceLastTurnMs }) => sinceLastTurnMs > limitMs);
    return stuck.length === 0 ? undefined : `no turn of ${stuck.map(({ topic, group }) => `${topic} (${group})`).join(', ')}`;
  }

  /** From `listen` on, what the groups park is kept there as well. */
  keepParked(letters: Pick<DeadLetterStore, 'keep'>): void {
    this.letters = letters;
  }

  /** Gives a record to the handler of this group alone, whoever owns its partition. Why it would be parked again; null: it was handled. */
  async handleAgain({ topic, group, place, raw }: ParkedRecord): Promise<string | null> {
    const handler = this.handlers.find(each => each.topic === topic && each.options.group === group);
    if (!handler) throw new Error(`this release has no group ${group} that reads ${topic}`);
    const onBatch = (batch: EventBatch) => this.handle(handler.callback, batch);
    const [partition, offset] = place.split('/');
    const record = { offset: BigInt(offset!), publishedAtMs: performance.now(), raw };
    const subscription = { topic, group, onBatch };
    const { signal } = new AbortController();
    const taken = { from: 0n, until: record.offset + 1n };
    const [letter] = await deliverBatch({
      subscription,
      partition: Number(partition),
      records: [record],
      signal,
      onEnd: until => (taken.until = until),
      onStart: from => (taken.from = from),
    });
    const isTaken = record.offset >= taken.from && record.offset < taken.until;
    return letter?.reason ?? (isTaken ? null : notTaken);
  }

  override on(): never {
    throw new Error('the events server emits no events of its own');
  }

  override unwrap<T>(): T {
    return this.options.transport as T;
  }

  private of(topic: string): Running[] {
    return this.running.filter(running => running.topic === topic);
  }

  private async start({ topic, options, callback }: Handler): Promise<void> {
    const { group, batchMax, minAgeMs, gatherMs } = options;
    const onBatch = (batch: EventBatch) => this.handle(callback, batch);
    const { transport } = this.options;
    const kept = this.letters;
    const onParked: Subscription['onParked'] = kept && ((partition, letters) => kept.keep({ topic, group, partition, letters }));
    const rangeOf = this.ranges.get(topic);
    const subscriber = await transport.subscribe({ topic, group, batchMax, minAgeMs, gatherMs, rangeOf, onBatch, onParked });
    this.running.push({ topic, group, subscriber });
  }

  private async handle(callback: MessageHandler, batch: EventBatch): Promise<void> {
    const result: unknown = await callback(batch, new BaseRpcContext([batch.topic]));
    await lastValueFrom(this.transformToObservable(result), { defaultValue: undefined });
  }

  /** Read when scraped; an unknown lag is left out. */
  private observeLag(): void {
    const help = 'Published events that the group has not committed, in the partitions of this process.';
    scrapedGauge({ name: 'paycode_events_lag', help, labelNames: ['topic', 'group'] }, gauge => {
      for (const { topic, group, lag } of this.progress()) if (lag !== null) gauge.set({ topic, group }, lag);
    });
  }

  private async stopAll(): Promise<void> {
    clearInterval(this.watchdog);
    await Promise.all(this.running.map(({ subscriber }) => subscriber.stop()));
  }

  /** Acts only when two consecutive checks see a stall: a process that was only suspended makes progress before the second check. */
  private watch(): void {
    const reason = this.stalled();
    this.stalledSeen = reason ? this.stalledSeen + 1 : 0;
    if (this.stalledSeen < 2) return;
    const fields = { event: 'events-stalled', reason };
    this.options.log.error(fields, 'event consumers make no progress; the process must be restarted');
    clearInterval(this.watchdog);
    if (this.options.onStalled) this.options.onStalled();
    else process.exit(1);
  }
}

/** The consumers of a service. Its definition hands the server to Nest, which starts it after the listeners. */
export const eventsServerProvider: FactoryProvider = {
  provide: EventsServer,
  inject: [EventTransport, LOGGER, Lifecycle],
  useFactory: (transport: EventTransport, log: Logger, lifecycle: Lifecycle) => new EventsServer({ transport, log, lifecycle }),
};
