/**
 * `npm run paycode -- redrive <topic>.<group>.dlq [--list]`: sends parked events back to their topic (k8s/runbooks/redrive-a-dlq.md).
 */
import { kafkaOf } from './paycode/kafka-connection.ts';
import { redriveDeadLetters, topicOfDeadLetters } from './redrive/redrive-dead-letters.ts';

async function main([deadLetterTopic = '', option]: readonly string[]): Promise<void> {
  const isListOnly = option === '--list';
  if (option !== undefined && !isListOnly) throw new Error(`unknown option ${option}; there is --list`);
  const report = ({ offset, key, reason }: { offset: string; key: string; reason: string }) =>
    console.log(`${offset}\ttransaction ${key}\t${reason}`);
  const topic = topicOfDeadLetters(deadLetterTopic);
  const count = await redriveDeadLetters({
    kafka: kafkaOf(process.env, 'paycode-redrive'),
    topic,
    deadLetterTopic,
    isListOnly,
    report,
  });
  console.log(isListOnly ? `${count} records wait` : `${count} records sent again`);
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
