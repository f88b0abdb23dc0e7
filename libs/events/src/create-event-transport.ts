import type { TopicDefinition } from '@paycode/dto';
import type { PaymentTracing } from '@paycode/service-runtime/tracing';
import type { EventTransport } from './event-transport';
import type { EventsOptions } from './events-env';
import { PostgresEventTransport } from './postgres/postgres-event-transport';
import { TracedEventTransport } from './traced-event-transport';
import type { TransportLog } from './transport-log';

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
  { transport, databaseUrl, ownerUrl, kafka }: EventsOptions,
  { service, log, topics }: TransportContext,
): Promise<EventTransport> {
  if (transport === 'kafka') {
    const { KafkaEventTransport, kafkaConnectionOf } = await import('./kafka/index');
    return new KafkaEventTransport({ connection: kafkaConnectionOf(kafka), clientId: service, log, topics });
  }
  if (!databaseUrl) throw new Error('EVENTS_TRANSPORT=postgres needs EVENTS_DATABASE_URL');
  return PostgresEventTransport.open({ url: databaseUrl, ownerUrl, applicationName: service, log, topics });
}
