import { readFileSync } from 'node:fs';
import { type ISocketFactory, Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import type { EventsEnv } from '../events-env';
import type { TransportLog } from '../transport-log';
import { repairKafkajs } from './kafkajs-repairs';

export interface KafkaConnection {
  brokers: string[];
  /** PEM text of the authority that signed the brokers; set: TLS. */
  tlsCa?: string;
  /** SCRAM-SHA-512. */
  sasl?: { username: string; password: string };
  /** For tests that cut connections. */
  socketFactory?: ISocketFactory;
}

/** How to reach Kafka, from the environment. Throws when a setting is missing or contradicts another. */
export function kafkaConnectionOf(env: EventsEnv): KafkaConnection {
  const { KAFKA_BROKERS: brokers, KAFKA_TLS_CA_FILE: caFile, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  if (brokers.length === 0) throw new Error('EVENTS_TRANSPORT=kafka needs KAFKA_BROKERS');
  if ((username === null) !== (password === null)) throw new Error('KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD go together');
  if (username !== null && caFile === null)
    throw new Error('KAFKA_SASL_USERNAME needs KAFKA_TLS_CA_FILE: a password never travels in the clear');
  return {
    brokers,
    ...(caFile === null ? {} : { tlsCa: readFileSync(caFile, 'utf8') }),
    ...(username === null || password === null ? {} : { sasl: { username, password } }),
  };
}

export interface KafkaClientOptions {
  connection: KafkaConnection;
  /** The service's name. */
  clientId: string;
  log: TransportLog;
}

/** Bounded retries are wanted: a publish that fails is answered as such, and consumers tolerate repetition. */
const intendedWarning = 'Limiting retries for the idempotent producer';

export function createKafkaClient({ connection, clientId, log }: KafkaClientOptions): Kafka {
  repairKafkajs();
  const { brokers, tlsCa, sasl, socketFactory } = connection;
  const config: KafkaConfig = {
    clientId,
    brokers,
    connectionTimeout: 3_000,
    authenticationTimeout: 5_000,
    requestTimeout: 10_000,
    enforceRequestTimeout: true,
    // Of each connection attempt; kafkajs multiplies it with the retries of the producer or consumer above it.
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: logLevel.WARN,
    logCreator: () => entry => {
      if (entry.log.message.startsWith(intendedWarning)) return;
      const level = entry.level === logLevel.ERROR ? 'error' : 'warn';
      // Only kafkajs' own sentences: its other fields may quote a request.
      const { message, error } = entry.log as { message: string; error?: unknown };
      const reason = typeof error === 'string' ? `${message}: ${error}` : message;
      log[level]({ event: 'kafkajs', source: entry.namespace, reason }, 'kafka client');
    },
    ...(tlsCa === undefined ? {} : { ssl: { ca: [tlsCa], minVersion: 'TLSv1.2' as const } }),
    ...(sasl === undefined ? {} : { sasl: { mechanism: 'scram-sha-512' as const, ...sasl } }),
    ...(socketFactory === undefined ? {} : { socketFactory }),
  };
  return new Kafka(config);
}
