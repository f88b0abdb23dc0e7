import type { Channel } from '@paycode/dto';
import { readForScrape } from '@paycode/metrics';
import { Counter, Gauge, register } from 'prom-client';
import { MessageMetrics, type MessageOutcome } from './messages.ports';

/** Counts of messages; the number that wait is read when scraped. */
export class PrometheusMessageMetrics extends MessageMetrics {
  private readonly worked: Counter<'channel' | 'outcome'>;

  constructor(waiting: () => Promise<Map<Channel, number>>) {
    super();
    // One registry per process: a second application in it (tests) takes the collectors over.
    register.removeSingleMetric('paycode_recipient_messages_total');
    register.removeSingleMetric('paycode_recipient_messages_waiting');
    this.worked = new Counter({
      name: 'paycode_recipient_messages_total',
      help: 'Tries to send Email and SMS to recipients, by channel and outcome.',
      labelNames: ['channel', 'outcome'],
    });
    new Gauge({
      name: 'paycode_recipient_messages_waiting',
      help: 'Messages to recipients that are not sent yet, by channel.',
      labelNames: ['channel'],
      async collect() {
        this.reset();
        for (const [channel, count] of await readForScrape(waiting, new Map<Channel, number>())) this.set({ channel }, count);
      },
    });
  }

  override tried(channel: Channel, outcome: MessageOutcome): void {
    this.worked.inc({ channel, outcome });
  }
}
