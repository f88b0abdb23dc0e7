import { InternalCallError } from '@paycode/access';
import type { ArmItem, Decision, Route, SettleItem } from '@paycode/dto';
import { noRoute } from '@paycode/dto/testing';
import { ReversalScheduler } from '../../arming/reversal-scheduler.client';
import { DeliveryMetrics, type DeliveryReport } from '../../deliveries/deliveries.ports';
import type { Connection } from '../../deliveries/domain/delivery';
import {
  type Connecting,
  type ConnectObserver,
  type PostFault,
  type PostObserver,
  WebhookPoster,
  type WebhookRequest,
} from '../../posting/post-webhook';
import { type SealedBody, type SealedNotification, WebhookSealer } from '../../posting/webhook-sealer';
import { RouteSource } from '../../routes/route-cache';

export function routeTo(url: string | null, changes: Partial<Route> = {}): Route {
  return { ...noRoute, merchantId: 1001, url, ...changes };
}

export class FakeRoutes extends RouteSource {
  url: string | null = 'https://shop.example/hook';
  version: string | null = null;
  fault: Error | undefined;

  override async routes(merchantIds: readonly number[]): Promise<Route[]> {
    if (this.fault) throw this.fault;
    return merchantIds.map(merchantId => routeTo(this.url, { merchantId, version: this.version }));
  }
}

export class FakeScheduler extends ReversalScheduler {
  readonly armed: ArmItem[] = [];
  readonly settled: SettleItem[] = [];
  readonly decisions = new Map<number, Decision>();
  fault: Error | undefined;
  /** Calls that contain this transaction are refused. */
  refused: number | undefined;
  /** The answers of arm leave this transaction out. */
  forgotten: number | undefined;
  /** Awaited after the jobs are durable, before the answer. */
  beforeAnswer: () => Promise<void> = async () => undefined;

  override async arm(items: readonly ArmItem[]): Promise<Map<number, Decision | null>> {
    this.failIfTold(items);
    this.armed.push(...items);
    await this.beforeAnswer();
    const known = items.filter(({ transactionId }) => transactionId !== this.forgotten);
    return new Map(known.map(({ transactionId }) => [transactionId, this.decisions.get(transactionId) ?? null]));
  }

  override async settle(items: readonly SettleItem[]): Promise<void> {
    this.failIfTold(items);
    this.settled.push(...items);
  }

  private failIfTold(items: readonly { transactionId: number }[]): void {
    if (this.fault) throw this.fault;
    const isRefused = items.some(({ transactionId }) => transactionId === this.refused);
    if (isRefused) throw new InternalCallError('answered 400', 400, true, undefined);
  }
}

export class PlainSealer extends WebhookSealer {
  fault: Error | undefined;

  override bodyOf({ payload, version }: SealedNotification, route: Route): SealedBody {
    if (this.fault) throw this.fault;
    return { body: `${route.url} ${version} ${payload}`, encryption: route.encryption, keyId: 'plain' };
  }
}

/** One request that a test answers by hand. */
export class FakePost {
  isAborted = false;

  constructor(
    readonly request: WebhookRequest,
    private readonly observer: PostObserver & { done(): void },
  ) {}

  get transactionId(): number {
    return Number(this.request.headers['x-webhook-transaction-id']);
  }

  get attempt(): number {
    return Number(this.request.headers['x-webhook-attempt']);
  }

  sent(): this {
    this.observer.sent();
    return this;
  }

  answer(status: number): void {
    this.observer.answered(status);
    this.observer.done();
  }

  fail(fault: Partial<PostFault> = {}): void {
    this.observer.failed({ code: 'ECONNRESET', isOurs: false, isStaleSocket: false, ...fault });
    this.observer.done();
  }

  abort(): void {
    this.isAborted = true;
    this.observer.done();
  }
}

/** A wait for a connection that a test ends by hand. */
export class FakeConnecting implements Connecting {
  isGivenUp = false;

  constructor(
    readonly url: string,
    private readonly observer: ConnectObserver,
    private readonly poster: FakePoster,
  ) {}

  connected(): void {
    this.observer.connected(this.poster.open());
  }

  fail(fault: Partial<PostFault> = {}): void {
    this.observer.failed({ code: 'ECONNREFUSED', isOurs: false, ...fault });
  }

  giveUp(): boolean {
    this.isGivenUp = true;
    return this.poster.isCongested;
  }
}

export class FakePoster extends WebhookPoster {
  readonly posts: FakePost[] = [];
  readonly connecting: FakeConnecting[] = [];
  /** Whether there is always a free connection. */
  hasFree = true;
  isCongested = false;
  /** Connections that are neither given back nor in use. */
  held = 0;
  /** Runs for every request once it is "sent". */
  onPost: (post: FakePost) => void = () => undefined;

  override take(): Connection | undefined {
    return this.hasFree ? this.open() : undefined;
  }

  override connect(url: string, observer: ConnectObserver): FakeConnecting {
    const connecting = new FakeConnecting(url, observer, this);
    this.connecting.push(connecting);
    return connecting;
  }

  open(): Connection {
    this.held++;
    return { giveBack: () => void this.held-- };
  }

  override post(request: WebhookRequest, observer: PostObserver & { done(): void }, connection?: Connection): { abort(): void } {
    if (connection) this.held--;
    const post = new FakePost(request, observer);
    this.posts.push(post);
    post.sent();
    this.onPost(post);
    return post;
  }

  get ids(): number[] {
    return this.posts.map(post => post.transactionId);
  }
}

export class RecordingMetrics extends DeliveryMetrics {
  readonly reports: DeliveryReport[] = [];
  readonly conflicts: number[] = [];
  readonly faults: unknown[] = [];
  readonly parkedWork: string[] = [];
  acknowledgements = 0;
  duplicates = 0;
  writeFailures = 0;

  override ingested({ duplicate }: { duplicate: number }): void {
    this.duplicates += duplicate;
  }
  override conflictingContent(transactionId: number): void {
    this.conflicts.push(transactionId);
  }
  override parked(): void {}
  override attempted(): void {}
  override concluded(report: DeliveryReport): void {
    this.reports.push(report);
  }
  override acknowledged(): void {
    this.acknowledgements++;
  }
  override verdictsWaiting(): void {}
  override verdictWriteFailed(): void {
    this.writeFailures++;
  }
  override heldBack(error: unknown): void {
    this.faults.push(error);
  }
  override workParked(step: string, transactionId: number): void {
    this.parkedWork.push(`${step} ${transactionId}`);
  }
}
