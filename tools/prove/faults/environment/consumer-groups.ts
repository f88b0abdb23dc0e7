import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { kafkaJars, kafkaVersion } from '../../../run/kafka/distribution';

const run = promisify(execFile);

/** Kafka's own `kafka-consumer-groups`. */
export class ConsumerGroups {
  constructor(private readonly brokers: string) {}

  /** Every partition of the topic is read again from that instant on. Rejects while the group has members. */
  async resetTo(instant: Date, group: string, topic: string): Promise<void> {
    // The tool expects milliseconds, and reads a time without zone as UTC.
    const at = instant.toISOString().replace('Z', '');
    const output = await this.tool('--group', group, '--topic', topic, '--reset-offsets', '--to-datetime', at, '--execute');
    if (/error/i.test(output)) throw new Error(output);
  }

  /** Events the group has not committed yet. */
  async lag(group: string): Promise<number> {
    const lines = (await this.tool('--group', group, '--describe')).split('\n').map(line => line.trim().split(/\s+/));
    const head = lines.findIndex(words => words.includes('LAG'));
    if (head < 0) throw new Error(`${group} is not known yet`);
    const column = lines[head]!.indexOf('LAG');
    const lags = lines.slice(head + 1).filter(words => words[0] === group);
    // A partition that nobody committed shows a dash.
    return lags.reduce((sum, words) => sum + (words[column] === '-' ? 0 : Number(words[column])), 0);
  }

  private async tool(...args: string[]): Promise<string> {
    const classPath = `${await kafkaJars(kafkaVersion())}/*`;
    const command = 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand';
    const { stdout, stderr } = await run('java', ['-cp', classPath, command, '--bootstrap-server', this.brokers, ...args]);
    return stdout + stderr;
  }
}
