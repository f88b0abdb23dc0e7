import { Inject, Injectable } from '@nestjs/common';
import type {
  DeliverySummary,
  DeliveryTimeline,
  EndpointPause,
  MerchantEndpoint,
  RedeliveryAnswer,
  ReversalState,
  ShardOwners,
} from '@paycode/dto';
import { DomainError, LOGGER, type Logger } from '@paycode/service-runtime';
import { Clock } from '@paycode/service-runtime/timing';
import { type AuditEvent, AuditLog, type ByPerson, doneBy } from '../audit';
import { orSilent } from '../neighbours';
import type { Proof, Proven } from '../sessions/proofs';
import { dashboardLink, type FailingEndpoint, failingEndpoints, HeartbeatMemory, portalPause } from './domain/on-call';
import { OnCallCalls } from './on-call-calls';
import { type Doing, type KnownTransaction, OnCallReader } from './on-call-reader';

/** Base URL of Grafana as people on call reach it; null: none is set, and no page leads there. */
export const GRAFANA_URL = Symbol('GRAFANA_URL');

export interface Stuck {
  /** Oldest first; null: the dispatcher did not answer. */
  open: OpenDelivery[] | null;
  /** Whether there may be more open deliveries than are shown. */
  isMore: boolean;
  since: string;
  failing: FailingEndpoint[];
  /** In effect; null: the dispatcher did not answer. */
  pauses: EndpointPause[] | null;
  /** null: the dispatcher did not answer. */
  shards: Shards | null;
}

/** `pausedUntil`: its endpoint is paused, null: it is not. */
export type OpenDelivery = DeliverySummary & { pausedUntil: string | null };

/** Replicas that own shards; `stillMs`: time since the portal last saw a new heartbeat of the replica. */
export interface Shards extends Pick<ShardOwners, 'count' | 'withoutOwner'> {
  replicas: { name: string; shards: number; stillMs: number }[];
}

export interface FoundTransaction {
  transactionId: number;
  known: KnownTransaction | null;
  delivery: DeliveryTimeline | null;
  reversal: ReversalState | null;
  doings: Doing[];
  /** Its traces and log lines in Grafana; null: no Grafana is set, or nobody knows the transaction. */
  dashboard: string | null;
  /** Services that did not answer: what they know is missing. */
  silent: string[];
}

const openMax = 50;
/** Merchants and currencies; so many endpoints of them are shown. */
const failingMax = 200;
const endpointsMax = 50;
const hourMs = 3_600_000;

/**
 * Flow: somebody on call asks -> what portal, dispatcher and scheduler know, of every merchant -> written down with the person's name.
 * Somebody on call redelivers, pauses or resumes -> written down with the name -> the dispatcher does it.
 */
@Injectable()
export class OnCallService {
  private readonly heartbeats = new HeartbeatMemory();

  constructor(
    private readonly calls: OnCallCalls,
    private readonly reader: OnCallReader,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    @Inject(GRAFANA_URL) private readonly grafanaUrl: string | null,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  async stuck({ proof }: Pick<Proven, 'proof'>): Promise<Stuck> {
    const since = new Date(this.clock.epochMs() - hourMs).toISOString();
    // One more than is shown: whether there are more.
    const [open, failing, shards, pauses] = await Promise.all([
      this.orSilent('dispatcher', this.calls.oldestOpen(openMax + 1), []),
      this.reader.failing(since, failingMax),
      this.orSilent('dispatcher', this.shards(), []),
      this.orSilent('dispatcher', this.calls.pauses(proof), []),
    ]);
    const endpoints = await this.endpointsOf([...(open ?? []), ...failing], proof);
    return {
      open: open && withPauses(open.slice(0, openMax), endpoints),
      isMore: (open?.length ?? 0) > openMax,
      since,
      failing: failingEndpoints(failing, endpoints, endpointsMax),
      pauses: pauses && pauses.filter(isInEffect(this.clock.epochMs())).map(portalPause),
      shards,
    };
  }

  async find(transactionId: number, asking: ByPerson): Promise<FoundTransaction> {
    const silent: string[] = [];
    const [known, delivery, reversal, doings] = await Promise.all([
      this.reader.transaction(transactionId),
      this.orSilent('dispatcher', this.calls.delivery(transactionId), silent),
      this.orSilent('scheduler', this.calls.reversal(transactionId), silent),
      this.reader.doings(transactionId),
    ]);
    const merchantId = known?.merchantId ?? delivery?.merchantId;
    await this.record('ON_CALL_SEARCHED', asking, { merchantId, detail: { transactionId: String(transactionId) } });
    const found = { transactionId, known, delivery, reversal, doings, silent };
    return { ...found, dashboard: this.grafanaUrl === null ? null : dashboardOf(found, this.grafanaUrl) };
  }

  /** Once more, a notice that moves no money. @throws DomainError 404, 409 */
  async redeliver(transactionId: number, asking: Proven): Promise<RedeliveryAnswer> {
    const delivery = await this.calls.delivery(transactionId);
    // Before: what is done and not written down cannot be told from what was never done.
    const detail = { transactionId: String(transactionId) };
    await this.record('NOTICE_REDELIVERED', asking, { merchantId: delivery?.merchantId, detail });
    return this.calls.redeliver(transactionId, asking.proof);
  }

  /** Deliveries to the merchant's endpoint wait. @throws DomainError with what the dispatcher refuses, in its words */
  async pause(
    { merchantId, minutes, reason }: { merchantId: number; minutes: number; reason: string },
    asking: Proven,
  ): Promise<EndpointPause> {
    // Before: what is done and not written down cannot be told from what was never done.
    await this.record('DELIVERIES_PAUSED', asking, { merchantId, detail: { minutes: String(minutes), reason } });
    return this.calls.pause({ merchantId, durationS: minutes * 60, reason }, asking.proof);
  }

  /** @throws DomainError 404, or with what the dispatcher refuses, in its words */
  async resume(pauseId: number, asking: Proven): Promise<EndpointPause> {
    const pause = (await this.calls.pauses(asking.proof)).find(each => each.pauseId === pauseId);
    if (!pause) throw new DomainError({ status: 404, reason: 'NO_PAUSE', message: 'there is no such pause' });
    await this.record('DELIVERIES_RESUMED', asking, { merchantId: pause.merchantId, detail: { pauseId: String(pauseId) } });
    return this.calls.resume({ pauseId }, asking.proof);
  }

  /** null: the dispatcher did not answer. */
  private async endpointsOf(of: readonly { merchantId: number }[], proof: Proof): Promise<MerchantEndpoint[] | null> {
    const merchantIds = [...new Set(of.map(({ merchantId }) => merchantId))];
    return merchantIds.length === 0 ? [] : this.orSilent('dispatcher', this.calls.endpoints(merchantIds, proof), []);
  }

  private async shards(): Promise<Shards> {
    const nowMs = this.clock.nowMs();
    const { count, withoutOwner, replicas } = await this.calls.shards();
    const stillMs = this.heartbeats.stillMs(replicas, nowMs);
    const named = replicas.map(({ instance, replica, shards }, at) => ({
      name: instance ?? replica,
      shards,
      stillMs: stillMs[at]!,
    }));
    return { count, withoutOwner, replicas: named };
  }

  private orSilent<T>(name: string, asked: Promise<T>, silent: string[]): Promise<T | null> {
    return orSilent(asked, { name, silent, log: this.log });
  }

  private record(
    action: AuditEvent['action'],
    asking: ByPerson,
    { merchantId, detail }: { merchantId: number | undefined; detail: Record<string, string> },
  ): Promise<void> {
    const of = merchantId === undefined ? {} : { merchantId };
    return this.audit.record({ ...doneBy(asking), action, ...of, detail });
  }
}

/** null: nobody knows the transaction. */
function dashboardOf(found: Omit<FoundTransaction, 'dashboard'>, grafanaUrl: string): string | null {
  const { transactionId, known, delivery, reversal } = found;
  if (!known && !delivery && !reversal) return null;
  return dashboardLink(grafanaUrl, transactionId, delivery?.receivedAt ?? known?.completedAt ?? null);
}

function withPauses(open: readonly DeliverySummary[], endpoints: readonly MerchantEndpoint[] | null): OpenDelivery[] {
  const pauses = new Map(endpoints?.map(({ merchantId, pause }) => [merchantId, pause]));
  return open.map(delivery => ({ ...delivery, pausedUntil: pauses.get(delivery.merchantId)?.endsAt ?? null }));
}

function isInEffect(nowMs: number): (pause: EndpointPause) => boolean {
  return ({ endedAt, endsAt }) => endedAt === null && Date.parse(endsAt) > nowMs;
}
