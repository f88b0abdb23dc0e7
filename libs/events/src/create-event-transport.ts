import type { TopicDefinition } from '@paycode/dto';
import { errorCodeOf, type PaymentSpan, type PaymentTracing } from '@paycode/service-runtime/tracing';
import {
  type EventBatch,
  type EventToPublish,
  EventTransport,
  type Subscriber,
  type Subscription,
  type TransportLog,
} from './event-transport';
import type { EventsOptions } from './events-env';
import { PostgresEventTransport } from './postgres/postgres-event-transport';

export interface TransportContext {
  /** The service's name: shown to the database and to the brokers. */
  service: string;
  log: TransportLog;
  /** Default: the platform's topics. */
  topics?: readonly TopicDefinition[];
  /** Default: events are not traced. */
  tracing?: PaymentTracing;
  /** The service begins a trace for an event that carries none. Default false. */
  beginsTraces?: boolean;
}

/** Opens the event log that the options name. Throws when a setting is missing, or PostgreSQL cannot be reached. */
export async function createEventTransport(options: EventsOptions, context: TransportContext): Promise<EventTransport> {
  const transport = await untraced(options, context);
  const { tracing, service, beginsTraces = false } = context;
  return tracing?.isOn ? new TracedEventTransport(transport, { tracing, mainGroup: service, beginsTraces }) : transport;
}

async function untraced(
  { transport, databaseUrl, ownerUrl, kafka, cell }: EventsOptions,
  { service, log, topics }: TransportContext,
): Promise<EventTransport> {
  if (transport === 'kafka') {
    const { KafkaEventTransport, kafkaConnectionOf } = await import('./kafka/index');
    return new KafkaEventTransport({ connection: kafkaConnectionOf(kafka), clientId: service, log, topics, cell });
  }
  if (!databaseUrl) throw new Error('EVENTS_TRANSPORT=postgres needs EVENTS_DATABASE_URL');
  return PostgresEventTransport.open({ url: databaseUrl, ownerUrl, applicationName: service, log, topics, cell });
}

export interface EventTracing {
  tracing: PaymentTracing;
  /** The group that does the service's own work: the trace of a payment continues where this group consumes its event. */
  mainGroup: string;
  /** Whether that group begins a trace for an event that carries none, because its producer traces nothing. */
  beginsTraces: boolean;
}

/** A transport that adds spans to the traces of payments: one per published event and one per event consumed by a group. */
export class TracedEventTransport extends EventTransport {
  constructor(
    private readonly transport: EventTransport,
    private readonly options: EventTracing,
  ) {
    super();
  }

  override async publish(events: readonly EventToPublish[]): Promise<void> {
    const spans = events.map(event => this.startOf(event, 'publish'));
    await ending(spans, () => this.transport.publish(events));
  }

  override subscribe(subscription: Subscription): Promise<Subscriber> {
    const { group } = subscription;
    const onBatch = (batch: EventBatch) => {
      const spans = batch.events.map(event => this.consumed(event, group));
      return ending(spans, () => subscription.onBatch(batch));
    };
    return this.transport.subscribe({ ...subscription, onBatch });
  }

  override partitionCount(topic: string): Promise<number> {
    return this.transport.partitionCount(topic);
  }

  override committed(topic: string, group: string): Promise<(number | null)[]> {
    return this.transport.committed(topic, group);
  }

  override endOf(topic: string, partition: number): Promise<number> {
    return this.transport.endOf(topic, partition);
  }

  override close(): Promise<void> {
    return this.transport.close();
  }

  private consumed(event: EventToPublish, group: string): PaymentSpan | undefined {
    const { tracing, mainGroup, beginsTraces } = this.options;
    const isMain = group === mainGroup;
    if (isMain && beginsTraces && event.traceparent === undefined) tracing.begin(Number(event.key), { name: 'payment arrived' });
    const span = this.startOf(event, 'consume', group);
    if (span && isMain) tracing.adopt(Number(event.key), span.traceparent);
    return span;
  }

  private startOf({ topic, key, traceparent }: EventToPublish, name: 'publish' | 'consume', group?: string) {
    const kind = name === 'publish' ? 'producer' : 'consumer';
    const facts = { topic, group };
    return this.options.tracing.start(Number(key), { name: `${name} ${topic}`, kind, parent: traceparent, facts });
  }
}

async function ending(spans: readonly (PaymentSpan | undefined)[], work: () => Promise<void>): Promise<void> {
  let errorCode: string | undefined;
  try {
    await work();
  } catch (error) {
    errorCode = errorCodeOf(error);
    throw error;
  } finally {
    for (const span of spans) span?.end(errorCode === undefined ? undefined : { errorCode });
  }
}
