import { readFileSync } from 'node:fs';
import { type ISocketFactory, Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import type { KafkaOptions } from '../events-env';
import type { TransportLog } from '../event-transport';
import { repairKafkajs } from './kafkajs-repairs';

export interface KafkaConnection {
  brokers: string[];
  /** PEM text of the authority that signed the certificates of the brokers; turns TLS on. */
  tlsCa?: string;
  /** SCRAM-SHA-512. */
  sasl?: { username: string; password: string };
  /** For tests that cut connections. */
  socketFactory?: ISocketFactory;
}

/** How to reach Kafka. Throws when a setting is missing or contradicts another, and names the settings as the environment does. */
export function kafkaConnectionOf({ brokers, caFile, username, password }: KafkaOptions): KafkaConnection {
  if (brokers.length === 0) throw new Error('EVENTS_TRANSPORT=kafka needs KAFKA_BROKERS');
  if ((username === null) !== (password === null)) throw new Error('KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD go together');
  if (username !== null && caFile === null)
    throw new Error('KAFKA_SASL_USERNAME needs KAFKA_TLS_CA_FILE: a password is never sent without TLS');
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

/** The bounded retries are intended: a failed publish is reported as failed, and consumers tolerate repetition. */
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
    // Retries of each connection attempt; kafkajs multiplies them with the retries of the producer or consumer.
    retry: { retries: 2, initialRetryTime: 100, maxRetryTime: 1_000 },
    logLevel: logLevel.WARN,
    logCreator: () => entry => {
      if (entry.log.message.startsWith(intendedWarning)) return;
      const level = entry.level === logLevel.ERROR ? 'error' : 'warn';
      // Logs only kafkajs' own messages, because its other fields may quote a request.
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
