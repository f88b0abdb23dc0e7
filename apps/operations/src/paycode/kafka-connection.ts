import { Kafka, logLevel } from 'kafkajs';
import { OperatorError, textIn } from './operator-connection.ts';

/**
 * A client of the platform's Kafka by the settings of the services: KAFKA_BROKERS, and KAFKA_TLS_CA_FILE, KAFKA_SASL_USERNAME,
 * KAFKA_SASL_PASSWORD or KAFKA_SASL_PASSWORD_FILE where used. @throws OperatorError naming the setting that is missing or unreadable
 */
export function kafkaOf(env: Record<string, string | undefined>, clientId: string): Kafka {
  const { KAFKA_BROKERS, KAFKA_SASL_USERNAME: username } = env;
  if (!KAFKA_BROKERS) throw new OperatorError('KAFKA_BROKERS is not set: host:port, several with commas');
  const named = (name: string) => (env[name] ? textIn(env[name], `${name}: `) : undefined);
  const ca = named('KAFKA_TLS_CA_FILE');
  const password = named('KAFKA_SASL_PASSWORD_FILE')?.trim() ?? env['KAFKA_SASL_PASSWORD'] ?? '';
  const sasl = username ? { mechanism: 'scram-sha-512' as const, username, password } : undefined;
  const ssl = ca === undefined ? undefined : { ca };
  return new Kafka({ clientId, brokers: KAFKA_BROKERS.split(','), ssl, sasl, logLevel: logLevel.NOTHING });
}
