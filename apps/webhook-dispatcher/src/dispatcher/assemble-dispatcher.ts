import { PrepareAttempt, type ReversalScheduler } from '../arming';
import { type Clock, passed } from '../clock';
import type { AttemptRules, Delivery, DeliveryMetrics, DeliveryStore } from '../deliveries';
import { type NoticeStore, RepeatNotices } from '../informational';
import { IngestTerminal } from '../intake';
import { type HeldLane, type LaneListener, type LaneStore, OwnLanes } from '../lanes';
import {
  AckDeadlines,
  type ConnectionGate,
  DispatchWebhook,
  type PostOptions,
  PostWebhook,
  type WebhookPoster,
  type WebhookSealer,
} from '../posting';
import { DeliveryDesk, OriginQueues, RefillQueues } from '../queueing';
import { RouteBook, type RouteSource } from '../routes';
import { CloseOverdue, RecoverDeliveries } from '../takeover';
import { CloseDeliveries, ConcludeDelivery, type OnFenced, RecordVerdict, SettleReversals, type VerdictStore } from '../verdicts';

/** Everything a dispatcher touches the world with. */
export interface DispatcherPorts {
  clock: Clock;
  lanes: LaneStore;
  deliveries: DeliveryStore;
  verdicts: VerdictStore;
  notices: NoticeStore;
  scheduler: ReversalScheduler;
  routes: RouteSource;
  sealer: WebhookSealer;
  poster: WebhookPoster;
  metrics: DeliveryMetrics;
  /** Default: none. */
  gate?: ConnectionGate;
}

export interface DispatcherSettings {
  /** Identity of this process; a restarted one has another. */
  replica: string;
  laneLeaseMs: number;
  rules: AttemptRules;
  post: PostOptions;
  /** Sockets for deliveries. */
  slotsMax: number;
  /** Deliveries in memory. */
  heldMax: number;
  /**
   * Between two calls or statements of one kind under load, in milliseconds: each costs as much as many deliveries, so more of them share
   * one. Default: none.
   */
  spacingMs?: number;
}

/** One dispatcher replica: its use cases, put together over ports, without framework, timers or event loop of its own. */
export interface Dispatcher {
  ingest: IngestTerminal;
  close: CloseDeliveries;
  lanes: OwnLanes;
  recover: RecoverDeliveries;
  notices: RepeatNotices;
  overdue: CloseOverdue;
  desk: DeliveryDesk;
  routes: RouteBook;
  settling: SettleReversals;
  /** Starts nothing more, lets what is in flight end, hands the lanes over (T9). `lanes.turn()` must go on meanwhile. */
  drain(): Promise<void>;
}

export function assembleDispatcher(ports: DispatcherPorts, settings: DispatcherSettings): Dispatcher {
  const { clock, metrics } = ports;
  const { replica, rules } = settings;
  const batching = { clock, spacing: spacingOf(settings, clock) };
  const listener = new LaneChanges();
  const lanes = new OwnLanes(ports.lanes, listener, clock, { replica, leaseMs: settings.laneLeaseMs });
  const routes = new RouteBook(ports.routes, clock);
  const queues = new OriginQueues<Delivery>({ slotsMax: settings.slotsMax });
  const desk = new DeliveryDesk(queues, routes, clock, { heldMax: settings.heldMax });
  const settling = new SettleReversals(ports.scheduler, clock, metrics);
  const verdicts = new RecordVerdict(ports.verdicts, lanes, settling, metrics, batching);
  const concluding = new ConcludeDelivery(verdicts, ports.notices, rules, clock, metrics);
  const refill = new RefillQueues(ports.deliveries, desk, lanes);
  const recover = new RecoverDeliveries(ports.deliveries, desk, concluding, lanes, { rules, clock, refill });
  listener.connect(desk, recover);
  const preparing = new PrepareAttempt(routes, lanes, ports.deliveries, ports.scheduler, batching);
  const posting = new PostWebhook(ports.poster, ports.sealer, new AckDeadlines(clock), clock, settings.post);
  const onFenced: OnFenced = delivery => recover.fenced(delivery);
  new DispatchWebhook(desk, preparing, posting, concluding, {
    clock,
    onFenced,
    onHeldBack: error => metrics.heldBack(error),
    onAside: ({ transactionId }, error) => metrics.setAside('send', transactionId, error),
    gate: ports.gate,
  });
  const ingest = new IngestTerminal(
    { store: ports.deliveries, lanes, desk, learnRoutes: merchantIds => routes.learn(merchantIds), ...batching },
    metrics,
  );
  const drain = async () => {
    desk.close();
    await lanes.leave();
    desk.shut();
    await settling.drain();
  };
  const notices = new RepeatNotices(ports.notices, desk, lanes, clock);
  const overdue = new CloseOverdue(desk, concluding, rules, { clock, onFenced });
  const close = new CloseDeliveries(ports.deliveries, metrics);
  return { ingest, close, lanes, recover, notices, overdue, desk, routes, settling, drain };
}

function spacingOf({ spacingMs }: DispatcherSettings, clock: Clock): (() => Promise<void>) | undefined {
  return spacingMs ? () => passed(clock, spacingMs) : undefined;
}

/** What a change of lanes means here: new ones are recovered, lost ones dropped, given-up ones finished first. */
class LaneChanges implements LaneListener {
  private desk!: DeliveryDesk;
  private recover!: RecoverDeliveries;

  connect(desk: DeliveryDesk, recover: RecoverDeliveries): void {
    this.desk = desk;
    this.recover = recover;
  }

  gained(lanes: readonly HeldLane[]): void {
    this.recover.gained(lanes);
  }

  /** Rows are left to the next owner from here on; what is claimed already starts first. */
  async ending(lane: HeldLane): Promise<void> {
    this.recover.lost([lane]);
    this.desk.dropUnclaimed([lane]);
    await this.desk.claimsStarted(lane.lane);
  }

  lost(lanes: readonly HeldLane[]): void {
    this.recover.lost(lanes);
    this.desk.drop(lanes);
  }

  finished(lane: number): Promise<void> {
    return this.desk.finished(lane);
  }
}
