import { PrepareAttempt, type ReversalScheduler } from '../arming';
import { type Clock, passed } from '../clock';
import type { AttemptRules, Delivery, DeliveryMetrics, DeliveryStore } from '../deliveries';
import { type NoticeStore, RepeatNotices } from '../informational';
import { IngestTerminal } from '../intake';
import { type LaneStore, OwnLanes } from '../lanes';
import {
  AckDeadlines,
  type ConnectionGate,
  DispatchWebhook,
  type IdleConnections,
  type PostOptions,
  PostWebhook,
  type WebhookPoster,
  type WebhookSealer,
} from '../posting';
import { DeliveryDesk, OriginQueues, type QueueLoad, RefillQueues } from '../queueing';
import { RouteBook, type RouteSource } from '../routes';
import { CloseOverdue, RecoverDeliveries } from '../takeover';
import { CloseDeliveries, ConcludeDelivery, type OnFenced, RecordVerdict, SettleReversals, type VerdictStore } from '../verdicts';
import { LaneChanges } from './lane-changes';

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
  /** Connections whose becoming free the gate is told of. Default: none. */
  connections?: IdleConnections;
  /** Is handed a look at the load, for metrics. Default: nobody looks. */
  showLoad?(read: () => QueueLoad): void;
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
export interface Dispatcher extends Parts {
  /** Starts nothing more, lets what is in flight end, hands the lanes over (T9). `lanes.turn()` must go on meanwhile. */
  drain(): Promise<void>;
}

type Parts = ReturnType<typeof partsOf>;

export function assembleDispatcher(ports: DispatcherPorts, settings: DispatcherSettings): Dispatcher {
  const parts = partsOf(ports, settings);
  connect(parts, ports);
  return { ...parts, drain: () => drain(parts) };
}

/** What each part tells others after all were made. There is no other late binding in the dispatcher. */
function connect({ desk, dispatch, lanes, recover }: Parts, { connections, gate, showLoad }: DispatcherPorts): void {
  desk.onReady(() => dispatch.startAll());
  lanes.onChange(new LaneChanges(desk, recover));
  connections?.onIdle(origin => gate?.onIdle(origin));
  showLoad?.(() => desk.load);
}

/** The parts in the order of a delivery's path; each gets those before it. */
function partsOf(ports: DispatcherPorts, settings: DispatcherSettings) {
  const { clock, metrics } = ports;
  const { replica, rules } = settings;
  const batching = { clock, spacing: spacingOf(settings, clock) };
  const lanes = new OwnLanes(ports.lanes, clock, { replica, leaseMs: settings.laneLeaseMs });
  const routes = new RouteBook(ports.routes, clock);
  const queues = new OriginQueues<Delivery>({ slotsMax: settings.slotsMax });
  const desk = new DeliveryDesk(queues, routes, clock, { heldMax: settings.heldMax });
  const learnRoutes = (merchantIds: Iterable<number>) => routes.learn(merchantIds);
  const ingest = new IngestTerminal({ store: ports.deliveries, lanes, desk, learnRoutes, ...batching }, metrics);
  const preparing = new PrepareAttempt(routes, lanes, ports.deliveries, ports.scheduler, batching);
  const posting = new PostWebhook(ports.poster, ports.sealer, new AckDeadlines(clock), clock, settings.post);
  const settling = new SettleReversals(ports.scheduler, clock, metrics);
  const verdicts = new RecordVerdict(ports.verdicts, lanes, settling, metrics, batching);
  const concluding = new ConcludeDelivery(verdicts, ports.notices, rules, clock, metrics);
  const close = new CloseDeliveries(ports.deliveries, metrics);
  const refill = new RefillQueues(ports.deliveries, desk, lanes);
  const recover = new RecoverDeliveries(ports.deliveries, desk, concluding, lanes, { rules, clock, refill });
  const onFenced: OnFenced = delivery => recover.fenced(delivery);
  const dispatch = new DispatchWebhook(desk, preparing, posting, concluding, {
    clock,
    onFenced,
    onHeldBack: error => metrics.heldBack(error),
    onAside: ({ transactionId }, error) => metrics.setAside('send', transactionId, error),
    gate: ports.gate,
  });
  const notices = new RepeatNotices(ports.notices, desk, lanes, clock);
  const overdue = new CloseOverdue(desk, concluding, rules, { clock, onFenced });
  return { ingest, close, lanes, recover, notices, overdue, desk, routes, settling, dispatch };
}

async function drain({ desk, lanes, settling }: Parts): Promise<void> {
  desk.close();
  await lanes.leave();
  desk.shut();
  await settling.drain();
}

function spacingOf({ spacingMs }: DispatcherSettings, clock: Clock): (() => Promise<void>) | undefined {
  return spacingMs ? () => passed(clock, spacingMs) : undefined;
}
