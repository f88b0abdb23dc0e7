import type { Logger } from '@paycode/service-runtime';
import type { ConnectionRefusal, GatewayMetrics } from '../gateway-metrics';
import { addressKey } from '../limits/rate-limits';

export interface OpenBodyLimits {
  /** Most open bodies in all, and most bytes of them in memory. */
  bodiesMax: number;
  bytesMax: number;
  /** The same for one address; for one /64 in IPv6. */
  addressBodiesMax: number;
  addressBytesMax: number;
  /** Above 0: a new body is not compared with the others for this time, because its first bytes may still be on the way. */
  settleMs: number;
  /** An older body must have come at `bytesPerSMin` or more, on the average since it began. */
  graceMs: number;
  bytesPerSMin: number;
}

/**
 * - Bodies: 128 of one address are a quarter of a second of its highest rate (`addressPerS`), so that it takes eight addresses to fill
 *   all places. Most bodies come in the same packet as their header.
 * - Bytes: room for 256 bodies of the largest size in all and 64 of one address, which are 64 and 16 MiB.
 * - Settling takes longer than one lost packet, which is sent again after less than a second.
 * - The lowest rate and its grace are those of other servers (Kestrel: 240 bytes/s after 5 s; Apache: 500 bytes/s).
 */
export function openBodyLimitsOf(bodyBytesMax: number): OpenBodyLimits {
  return {
    bodiesMax: 1_024,
    bytesMax: 256 * bodyBytesMax,
    addressBodiesMax: 128,
    addressBytesMax: 64 * bodyBytesMax,
    settleMs: 1_000,
    graceMs: 5_000,
    bytesPerSMin: 500,
  };
}

/** Open bodies that share a budget, oldest first. */
interface Share {
  bodies: Set<OpenBody>;
  heldBytes: number;
}

interface Budget {
  bodiesMax: number;
  bytesMax: number;
  /** Of a body that is dropped because this budget is full. */
  reason: ConnectionRefusal;
}

const firstBufferBytes = 1_024;
const sweepEveryMs = 500;
const warnEveryMs = 60_000;

export interface BodyForm {
  /** Size that the client announced, or else the largest that is allowed. */
  bytesMax: number;
  /** Called once, when the body must go to make room or because it is too slow. */
  onDropped: () => void;
}

/** One body while it comes. Its chunks are copied together: thousands of chunks of one byte would take far more memory than one buffer. */
export class OpenBody {
  receivedBytes = 0;
  private buffer: Buffer = Buffer.alloc(0);

  constructor(
    readonly key: string,
    readonly form: BodyForm,
    readonly beganAtMs: number,
  ) {}

  get heldBytes(): number {
    return this.buffer.length;
  }

  get content(): Buffer {
    return this.buffer.subarray(0, this.receivedBytes);
  }

  add(chunk: Buffer): void {
    const needed = this.receivedBytes + chunk.length;
    if (needed > this.buffer.length) {
      const roomy = Math.min(this.form.bytesMax, Math.max(firstBufferBytes, 2 * this.buffer.length));
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, roomy));
      this.content.copy(larger);
      this.buffer = larger;
    }
    chunk.copy(this.buffer, this.receivedBytes);
    this.receivedBytes = needed;
  }

  /** Frees the memory, also while somebody still holds this object. */
  release(): void {
    this.buffer = Buffer.alloc(0);
    this.receivedBytes = 0;
  }

  bytesPerS(nowMs: number): number {
    return this.receivedBytes / (Math.max(1, nowMs - this.beganAtMs) / 1_000);
  }
}

/**
 * Bodies of requests that are not complete yet (T-12). They have budgets of their own, by address and in all, so that bodies that never come
 * keep nobody else out: when a budget is full, the slowest body is dropped for the new one.
 */
export class OpenBodies {
  private readonly all: Share = { bodies: new Set(), heldBytes: 0 };
  private readonly byAddress = new Map<string, Share>();
  private sweep: NodeJS.Timeout | undefined;
  private warnedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly limits: OpenBodyLimits,
    private readonly metrics: Pick<GatewayMetrics, 'connectionRefused' | 'bodiesOpen'>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** The caller closes every body, also one that was dropped. */
  open(address: string, form: BodyForm): OpenBody {
    const body = new OpenBody(addressKey(address), form, performance.now());
    const own = this.byAddress.get(body.key) ?? { bodies: new Set(), heldBytes: 0 };
    this.byAddress.set(body.key, own);
    own.bodies.add(body);
    this.all.bodies.add(body);
    this.sweep ??= setInterval(() => this.dropSlow(), sweepEveryMs).unref();
    this.makeRoom(own);
    return body;
  }

  /** Stores the next bytes of a body. The body itself may be dropped for them. */
  add(body: OpenBody, chunk: Buffer): void {
    const own = this.byAddress.get(body.key);
    if (!own?.bodies.has(body)) return;
    const heldBefore = body.heldBytes;
    body.add(chunk);
    for (const share of [own, this.all]) share.heldBytes += body.heldBytes - heldBefore;
    this.makeRoom(own);
  }

  /** The body is complete or given up. Returns its bytes. */
  close(body: OpenBody): Buffer {
    const { content, heldBytes } = body;
    body.release();
    const own = this.byAddress.get(body.key);
    if (!own?.bodies.delete(body)) return content;
    this.all.bodies.delete(body);
    for (const share of [own, this.all]) share.heldBytes -= heldBytes;
    if (own.bodies.size === 0) this.byAddress.delete(body.key);
    if (this.all.bodies.size === 0) this.stopSweep();
    this.metrics.bodiesOpen(this.all.bodies.size);
    return content;
  }

  private stopSweep(): void {
    clearInterval(this.sweep);
    this.sweep = undefined;
  }

  private makeRoom(own: Share): void {
    const { addressBodiesMax, addressBytesMax, bodiesMax, bytesMax } = this.limits;
    this.shrink(own, { bodiesMax: addressBodiesMax, bytesMax: addressBytesMax, reason: 'body-address-limit' });
    this.shrink(this.all, { bodiesMax, bytesMax, reason: 'body-limit' });
    this.metrics.bodiesOpen(this.all.bodies.size);
  }

  private shrink(share: Share, { bodiesMax, bytesMax, reason }: Budget): void {
    while (share.bodies.size > bodiesMax) this.drop(this.slowestOf(share.bodies), reason);
    while (share.heldBytes > bytesMax) this.drop(this.slowestOf([...share.bodies].filter(body => body.heldBytes > 0)), reason);
  }

  /** The slowest of those that have had time to settle, else the oldest. `bodies`: at least one, oldest first. */
  private slowestOf(bodies: Iterable<OpenBody>): OpenBody {
    const nowMs = performance.now();
    let [slowest] = bodies;
    for (const body of bodies) {
      if (nowMs - body.beganAtMs < this.limits.settleMs) break;
      if (body.bytesPerS(nowMs) < slowest!.bytesPerS(nowMs)) slowest = body;
    }
    return slowest!;
  }

  private dropSlow(): void {
    const nowMs = performance.now();
    for (const body of this.all.bodies) {
      if (nowMs - body.beganAtMs < this.limits.graceMs) return;
      if (body.bytesPerS(nowMs) < this.limits.bytesPerSMin) this.drop(body, 'body-slow');
    }
  }

  private drop(body: OpenBody, reason: ConnectionRefusal): void {
    this.close(body);
    this.metrics.connectionRefused(reason);
    if (reason === 'body-limit') this.warn();
    body.form.onDropped();
  }

  /** At most once a minute: a flood must not fill the log. */
  private warn(): void {
    const nowMs = performance.now();
    if (nowMs - this.warnedAtMs < warnEveryMs) return;
    this.warnedAtMs = nowMs;
    const open = { bodies: this.all.bodies.size, heldBytes: this.all.heldBytes, addresses: this.byAddress.size };
    this.logger.warn({ event: 'open-bodies-full', ...open }, 'too many request bodies are incomplete: the slowest are dropped');
  }
}
