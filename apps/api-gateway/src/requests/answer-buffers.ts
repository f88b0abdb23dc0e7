import { DomainError } from '@paycode/service-runtime';
import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Answer } from '../forwarding/forward-request';
import type { GatewayMetrics, ReaderRefusal } from '../gateway-metrics';
import { addressKey } from '../limits/rate-limits';
import { type AnswerParties, type AnswerWatch, OpenAnswer } from './open-answer';

export interface AnswerBufferSettings {
  /** Time a client may stop reading. */
  idleTimeoutMs: number;
  /** Connections to each service. */
  connectionsMax: number;
}

type Limits = Record<keyof AnswerParties, number>;

/** Bytes of all answers that clients have not taken yet: a sixth of the memory that the gateway's container has. */
const heldBytesMax = 67_108_864;
/** A client takes at least 16 KiB of an answer in this time, about 550 bytes a second. A phone on GPRS reads four times as much. */
const sliceMsMax = 30_000;

/**
 * Keeps slow readers from the connections to the services and from the memory of the gateway (T-12). A limit that is reached cuts off the slowest
 * reader; only a live stream is refused, before it begins.
 */
export class AnswerBuffers implements AnswerWatch {
  readonly sliceMs: number;
  private readonly open = new Set<OpenAnswer>();
  private readonly full = new Set<OpenAnswer>();
  private readonly live = new Set<{ parties: AnswerParties }>();
  /** Server-sent events. The portal allows four to a person and 64 to all, which is half of its connections. */
  private readonly liveMax: Limits;
  /** Answers that are larger than what the gateway reads ahead, such as exports. They and live streams leave a quarter of the connections free. */
  private readonly fullMax: Limits;
  private heldBytes = 0;

  constructor(
    { idleTimeoutMs, connectionsMax }: AnswerBufferSettings,
    private readonly metrics: Pick<GatewayMetrics, 'readerRefused' | 'answerBytesHeld'>,
  ) {
    this.sliceMs = Math.min(idleTimeoutMs, sliceMsMax);
    this.liveMax = { address: 32, account: 8, route: shareOf(connectionsMax, 2) };
    this.fullMax = { address: 16, account: 8, route: shareOf(connectionsMax, 4) };
  }

  /** Counts a live stream until it ends. @throws DomainError 429 when its address, its account or its service has as many as it may */
  admitted(answer: Answer, address: string): Answer {
    const { body, headers } = answer;
    if (typeof body === 'string' || !String(headers['content-type']).startsWith('text/event-stream')) return answer;
    const stream = { parties: partiesOf(answer, address) };
    this.live.add(stream);
    if (beyond(this.live, stream.parties, this.liveMax)) {
      this.live.delete(stream);
      body.destroy();
      this.metrics.readerRefused('live-streams');
      throw tooManyStreams();
    }
    finished(body, () => this.live.delete(stream));
    return answer;
  }

  /** Resolves when the whole body is handed to the network. Rejects when the client is gone or was cut off, or the body ended early. */
  async send(answer: Answer, { response, address }: { response: ServerResponse; address: string }): Promise<void> {
    const open = new OpenAnswer(response, partiesOf(answer, address), this);
    this.open.add(open);
    try {
      await open.send(answer.body);
    } finally {
      this.open.delete(open);
    }
  }

  onHeld(bytes: number): void {
    this.heldBytes += bytes;
    this.metrics.answerBytesHeld(this.heldBytes);
    while (bytes > 0 && this.heldBytes > heldBytesMax) this.cut(slowestOf(heaviestOf(this.open)), 'buffers-full');
  }

  onFull(answer: OpenAnswer): void {
    this.full.add(answer);
    for (let sharing; (sharing = beyond(this.full, answer.parties, this.fullMax));) this.cut(slowestOf(sharing), 'large-answers');
  }

  onRead(answer: OpenAnswer): void {
    this.full.delete(answer);
  }

  onSlow(answer: OpenAnswer): void {
    this.cut(answer, 'slow');
  }

  private cut(answer: OpenAnswer, reason: ReaderRefusal): void {
    this.full.delete(answer);
    this.metrics.readerRefused(reason);
    answer.cut(reason);
  }
}

function partiesOf({ account, route }: Answer, address: string): AnswerParties {
  return { address: addressKey(address), account, route };
}

function shareOf(connections: number, parts: number): number {
  return Math.max(1, Math.floor(connections / parts));
}

/** Those that share an address, an account or a service with `parties`, where these are more than it may have. */
function beyond<T extends { parties: AnswerParties }>(all: Iterable<T>, parties: AnswerParties, max: Limits): T[] | undefined {
  for (const key of ['address', 'account', 'route'] as const) {
    if (parties[key] === undefined) continue;
    const sharing = [...all].filter(each => each.parties[key] === parties[key]);
    if (sharing.length > max[key]) return sharing;
  }
  return undefined;
}

/** The answers of the address for which the gateway holds most bytes. */
function heaviestOf(answers: Iterable<OpenAnswer>): OpenAnswer[] {
  const byAddress = new Map<string, { bytes: number; answers: OpenAnswer[] }>();
  let heaviest = { bytes: 0, answers: [] as OpenAnswer[] };
  for (const answer of answers) {
    if (answer.heldBytes === 0) continue;
    const group = byAddress.get(answer.parties.address) ?? { bytes: 0, answers: [] };
    byAddress.set(answer.parties.address, group);
    group.bytes += answer.heldBytes;
    group.answers.push(answer);
    if (group.bytes > heaviest.bytes) heaviest = group;
  }
  return heaviest.answers;
}

/** The one whose client has taken nothing for the longest time. */
function slowestOf(answers: OpenAnswer[]): OpenAnswer {
  const sinceOf = ({ waitingSinceMs }: OpenAnswer) => waitingSinceMs ?? Infinity;
  return answers.reduce((slowest, answer) => (sinceOf(answer) < sinceOf(slowest) ? answer : slowest));
}

function tooManyStreams(): DomainError {
  const message = 'too many live streams are open: ask again later';
  return new DomainError({ status: 429, reason: 'LIVE_STREAMS', message, headers: { 'retry-after': '60' } });
}
