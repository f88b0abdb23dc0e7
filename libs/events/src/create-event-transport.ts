import type { TopicDefinition } from '@paycode/dto';
import type { PaymentTracing } from '@paycode/tracing';
import type { EventTransport } from './event-transport';
import type { EventsEnv } from './events-env';
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

/** Opens the event log that the settings name. Throws when a setting is missing, or PostgreSQL cannot be reached. */
export async function createEventTransport(env: EventsEnv, context: TransportContext): Promise<EventTransport> {
  const transport = await untraced(env, context);
  const { tracing, service, beginsTraces = false } = context;
  return tracing?.isOn ? new TracedEventTransport(transport, { tracing, mainGroup: service, beginsTraces }) : transport;
}

async function untraced(env: EventsEnv, { service, log, topics }: TransportContext): Promise<EventTransport> {
  if (env.EVENTS_TRANSPORT === 'kafka') {
    const { KafkaEventTransport, kafkaConnectionOf } = await import('./kafka/index');
    const sessionTimeoutMs = env.KAFKA_SESSION_TIMEOUT_MS;
    return new KafkaEventTransport({ connection: kafkaConnectionOf(env), clientId: service, log, topics, sessionTimeoutMs });
  }
  if (!env.EVENTS_DATABASE_URL) throw new Error('EVENTS_TRANSPORT=postgres needs EVENTS_DATABASE_URL');
  return PostgresEventTransport.open({ url: env.EVENTS_DATABASE_URL, applicationName: service, log, topics });
}
