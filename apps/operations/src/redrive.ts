/**
 * `npm run paycode -- redrive <topic>.<group>.dlq [--list]`: sends parked events back to their topic (k8s/runbooks/redrive-a-dlq.md).
 * Settings as the services have them: KAFKA_BROKERS, and KAFKA_TLS_CA_FILE, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD or
 * KAFKA_SASL_PASSWORD_FILE where used.
 */
import { readFileSync } from 'node:fs';
import { Kafka, type KafkaConfig, logLevel } from 'kafkajs';
import { redriveDeadLetters, topicOfDeadLetters } from './redrive/redrive-dead-letters.ts';

function connection(): KafkaConfig {
  const { KAFKA_BROKERS, KAFKA_TLS_CA_FILE, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD_FILE } = process.env;
  const password = KAFKA_SASL_PASSWORD_FILE
    ? readFileSync(KAFKA_SASL_PASSWORD_FILE, 'utf8').trim()
    : (process.env['KAFKA_SASL_PASSWORD'] ?? '');
  if (!KAFKA_BROKERS) throw new Error('KAFKA_BROKERS is not set: host:port, several with commas');
  const ssl = KAFKA_TLS_CA_FILE ? { ca: readFileSync(KAFKA_TLS_CA_FILE, 'utf8') } : undefined;
  const sasl = KAFKA_SASL_USERNAME ? { mechanism: 'scram-sha-512' as const, username: KAFKA_SASL_USERNAME, password } : undefined;
  return { clientId: 'paycode-redrive', brokers: KAFKA_BROKERS.split(','), ssl, sasl, logLevel: logLevel.ERROR };
}

async function main([deadLetterTopic = '', option]: readonly string[]): Promise<void> {
  const isListOnly = option === '--list';
  if (option !== undefined && !isListOnly) throw new Error(`unknown option ${option}; there is --list`);
  const report = ({ offset, key, reason }: { offset: string; key: string; reason: string }) =>
    console.log(`${offset}\ttransaction ${key}\t${reason}`);
  const topic = topicOfDeadLetters(deadLetterTopic);
  const count = await redriveDeadLetters({ kafka: new Kafka(connection()), topic, deadLetterTopic, isListOnly, report });
  console.log(isListOnly ? `${count} records wait` : `${count} records sent again`);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
