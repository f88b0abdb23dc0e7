import type { Channel } from '@paycode/dto';
import { counter, readForScrape, scrapedGauge } from '@paycode/metrics';
import { MessageMetrics, type MessageOutcome } from './messages.ports';

/** Counts of messages; the number that wait is read when scraped. */
export class PrometheusMessageMetrics extends MessageMetrics {
  private readonly worked = counter(
    'paycode_recipient_messages_tries_total',
    'Tries to send Email and SMS to recipients, by channel and outcome.',
    ['channel', 'outcome'],
  );

  constructor(waiting: () => Promise<Map<Channel, number>>) {
    super();
    const help = 'Messages to recipients that are not sent yet, by channel.';
    scrapedGauge({ name: 'paycode_recipient_messages_waiting', help, labelNames: ['channel'] }, async gauge => {
      gauge.reset();
      for (const [channel, count] of await readForScrape(waiting, new Map<Channel, number>())) gauge.set({ channel }, count);
    });
  }

  override tried(channel: Channel, outcome: MessageOutcome): void {
    this.worked.inc({ channel, outcome });
  }
}
