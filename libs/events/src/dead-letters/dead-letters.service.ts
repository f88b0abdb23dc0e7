import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type DeadLetterPage, type DeadLetterSummary, events, type RedriveAnswer } from '@paycode/dto';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { EventsServer } from '../nest/events-server';
import { DeadLetterStore, type KeptLetter, recordFrom } from './dead-letter.store';
import { decodeCloudEvent, type Decoded, headerOf } from '../record/cloud-event';
import type { RawRecord } from '../event-transport';

export interface LetterContent {
  eventType: string | null;
  eventAt: string | null;
  transactionId: number | null;
  merchantId: number | null;
  /** Defect of the record itself, without its data; null: none. */
  defect: string | null;
}

/** The fields of a record that people may see, and whether this release can read it. */
export function contentOf(topic: string, raw: RawRecord): LetterContent {
  const decoded = decodeCloudEvent(raw);
  const data = decoded.ok ? (decoded.event.data as Record<string, unknown> | null) : null;
  const isObject = typeof data === 'object' && data !== null;
  return {
    eventType: shown(headerOf(raw, 'ce_type'), /^\w{1,64}$/),
    eventAt: shown(headerOf(raw, 'ce_time'), /^\d{4}-\d\d-\d\dT[\d:.]{5,16}Z$/),
    transactionId: (isObject ? idIn(data['transactionId']) : null) ?? idIn(Number(raw.key ?? Number.NaN)),
    merchantId: isObject ? idIn(data['merchantId']) : null,
    defect: defectOf(topic, decoded),
  };
}

function defectOf(topic: string, decoded: Decoded): string | null {
  if (!decoded.ok) return decoded.reason;
  const event = Object.values(events).find(each => each.topic.name === topic);
  if (!event) return null;
  const parsed = event.parse(decoded.event.data);
  if (!parsed.ok) return parsed.reason;
  const named = (parsed.value as Record<string, unknown>)[event.key];
  return decoded.event.key === String(named) ? null : `the record key is not the ${event.key}`;
}

/** Headers are whatever a producer wrote: what does not look as it should is not shown. */
function shown(text: string | undefined, rule: RegExp): string | null {
  return text !== undefined && rule.test(text) ? text : null;
}

function idIn(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null;
}

/** Flow: letters that this service parked -> shown without their payload -> given to their own group again, by the handler that refused them. */
@Injectable()
export class DeadLettersService implements OnModuleInit {
  constructor(
    private readonly store: DeadLetterStore,
    private readonly server: EventsServer,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Before the server listens: nothing is parked that is not kept. */
  onModuleInit(): void {
    this.server.keepParked(this.store);
  }

  async list(before: number, limit: number): Promise<DeadLetterPage> {
    // One more than is shown: whether there are more.
    const found = await this.store.list(before, limit + 1);
    return { letters: found.slice(0, limit).map(summaryOf), isMore: found.length > limit };
  }

  async find(letterIds: readonly number[]): Promise<DeadLetterSummary[]> {
    return (await this.store.find(letterIds)).map(summaryOf);
  }

  /** One after the other, the oldest first: what one of them does the next one finds done. */
  async redrive(letterIds: readonly number[]): Promise<RedriveAnswer[]> {
    const kept = new Map((await this.store.find(letterIds)).map(letter => [Number(letter.letterId), letter]));
    const answers: RedriveAnswer[] = [];
    for (const letterId of [...new Set(letterIds)].sort((one, other) => one - other)) {
      const letter = kept.get(letterId);
      answers.push(letter ? await this.redriveOne(letter) : { letterId, outcome: 'GONE', reason: null });
    }
    return answers;
  }

  private async redriveOne(letter: KeptLetter): Promise<RedriveAnswer> {
    const letterId = Number(letter.letterId);
    const { topic, group, place } = letter;
    try {
      const reason = await this.server.handleAgain({ topic, group, place, raw: recordFrom(letter.record) });
      if (reason === null) await this.store.handled(letter.letterId);
      else await this.store.refused(letter.letterId, reason);
      const fields = { event: 'dead-letter-redriven', topic, group, letterId, reason };
      this.log.info(fields, 'a dead letter was given to its group again');
      return { letterId, outcome: reason === null ? 'HANDLED' : 'REFUSED', reason };
    } catch (err) {
      const fields = { event: 'redrive-failed', topic, group, letterId, err };
      this.log.error(fields, 'a dead letter could not be given to its group again');
      return { letterId, outcome: 'FAILED', reason: null };
    }
  }
}

function summaryOf({ letterId, topic, group, reason, times, firstParkedAt, parkedAt, record }: KeptLetter): DeadLetterSummary {
  return {
    letterId: Number(letterId),
    topic,
    group,
    ...contentOf(topic, recordFrom(record)),
    reason,
    times,
    firstParkedAt: firstParkedAt.toISOString(),
    parkedAt: parkedAt.toISOString(),
  };
}
