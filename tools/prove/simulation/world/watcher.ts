import type { Decision } from '@paycode/dto';
import type { DecisionToRecord } from '../../../../apps/reversal-scheduler/src/reversal/domain/decision';
import type {
  DispatcherTables,
  TablesWatcher,
  VerdictTableRow,
} from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';
import type { SimProcess } from '../engine/sim-process.ts';
import type { Timeline } from '../engine/timeline.ts';

/** One request, as it left. */
export interface PostGhost {
  attempt: number;
  /** Life of the process that sent it. */
  identity: string;
  epoch: number;
  /** On a fresh socket, because the first one was dead (P-T7). */
  isRepeat: boolean;
  wasOurFault: boolean;
  wasStale: boolean;
  /** When the process learned that the request had left: the window runs from here (P-T1). */
  sentAtMs: number | undefined;
}

/** The true state of a payment, which no participant knows completely. */
type PaymentGhost = ReturnType<typeof newGhost>;

function newGhost(transactionId: number, isReversible: boolean) {
  return {
    transactionId,
    isReversible,
    posts: [] as PostGhost[],
    /** Live, unfenced owners that a 200 in time has reached and whose verdict is not committed. */
    held: new Map<string, { shard: number; epoch: number }>(),
    decisions: [] as Decision[],
    isPulled: false,
    /** A 200 arrived within its window, somewhere. */
    isAnsweredInTime: false,
    /** Processes whom arm told that it is decided. */
    refusedTo: new Set<string>(),
    /** Effects of ReversalRequested at the payment core. */
    reversals: 0,
  };
}

export interface BrokenInvariant {
  rule: string;
  transactionId: number;
  message: string;
  atMs: number;
}

export const attemptsMax = 2;
export const shardLeaseMs = 10_000;
/** One and a half heartbeats. */
const graceMs = 1_500;
/** Parts of a sealed and of an open notification. */
const secrets = /sealed|clientMsisdn|\+2782/;

const isClosed = (kind: string) => kind.startsWith('CLOSED_');

/**
 * Checks the invariants at every event, with knowledge that no participant has: the memory of each process, the answers of receivers,
 * the answers to merchants.
 */
export class Watcher implements TablesWatcher {
  readonly ghosts = new Map<number, PaymentGhost>();
  /** Lives whose session ended while the server stood. */
  private readonly sessionsEnded = new Set<string>();
  /** When a life last heard that its session had ended. */
  private readonly heardAtMs = new Map<string, number>();
  broken: BrokenInvariant | undefined;
  tables!: DispatcherTables;
  hasJob!: (transactionId: number) => boolean;
  isAlive!: (identity: string) => boolean;

  constructor(private readonly timeline: Timeline) {}

  expect(transactionId: number, isReversible: boolean): void {
    this.ghosts.set(transactionId, newGhost(transactionId, isReversible));
  }

  ghost(transactionId: number): PaymentGhost {
    let ghost = this.ghosts.get(transactionId);
    if (!ghost) this.ghosts.set(transactionId, (ghost = newGhost(transactionId, true)));
    return ghost;
  }

  fail(rule: string, transactionId: number, message: string): void {
    this.timeline.trace(`BROKEN ${rule} ${transactionId}: ${message}`);
    this.broken ??= { rule, transactionId, message, atMs: this.timeline.nowMs };
  }

  /** A stored delivery does not change (P-I10). */
  deliveryWritten(transactionId: number, former: unknown): void {
    if (former) this.fail('P-I10', transactionId, 'a stored delivery is written again');
  }

  ackPublished(transactionId: number, data: unknown): void {
    this.told(transactionId, JSON.stringify(data));
  }

  /** A log, a topic or an error contains neither the notification, sealed or open, nor a key (P-I14). */
  told(transactionId: number, text: string): void {
    if (secrets.test(text)) this.fail('P-I14', transactionId, `told outside: ${text}`);
  }

  armRefused(transactionId: number, identity: string): void {
    this.ghost(transactionId).refusedTo.add(identity);
  }

  verdictWritten(transactionId: number, row: VerdictTableRow, former: VerdictTableRow | undefined): void {
    const ghost = this.ghost(transactionId);
    this.timeline.trace(`verdict ${transactionId} ${row.kind}`);
    if (former && former.kind !== row.kind) this.fail('P-I1', transactionId, `verdict ${former.kind} became ${row.kind}`);
    if (isClosed(row.kind)) this.checkClosing(ghost, row);
    if (row.kind === 'ACKED_HTTP' && ghost.isReversible && !ghost.isAnsweredInTime)
      this.fail('P-T1', transactionId, 'acknowledged by no 200 within 45 s');
    ghost.held.clear();
  }

  shardTaken(shard: number, former: string | null): void {
    this.timeline.trace(`shard ${shard} taken`);
    if (former !== null && this.isAlive(former)) this.checkTakeover(former);
    // The former owner is fenced, so a 200 that it holds may be lost (the residual of P-1.7).
    for (const ghost of this.ghosts.values()) for (const [who, of] of ghost.held) if (of.shard === shard) ghost.held.delete(who);
  }

  sessionEnded(identity: string): void {
    this.sessionsEnded.add(identity);
  }

  /** Every session ended with the server, so none of them says anything. */
  serverEnded(): void {
    this.sessionsEnded.clear();
  }

  heardSessionEnded(identity: string): void {
    this.heardAtMs.set(identity, this.timeline.nowMs);
  }

  killed(process: SimProcess): void {
    for (const ghost of this.ghosts.values()) ghost.held.delete(process.identity);
  }

  jobWritten(transactionId: number): void {
    this.timeline.trace(`job ${transactionId}`);
    if (!this.ghost(transactionId).isReversible) this.fail('P-I13', transactionId, 'a notice that moves no money was armed');
  }

  decisionWritten({ transactionId, decision }: DecisionToRecord): void {
    const ghost = this.ghost(transactionId);
    const verdict = this.tables.verdicts.get(transactionId)?.kind;
    this.timeline.trace(`decision ${transactionId} ${decision}`);
    if (ghost.decisions.length > 0)
      this.fail(ghost.decisions.includes(decision) ? 'P-I2' : 'P-I1', transactionId, 'decided twice');
    ghost.decisions.push(decision);
    if (!ghost.isReversible) this.fail('P-I13', transactionId, 'a notice that moves no money was decided');
    if (decision === 'REVERSED') this.checkReversal(ghost, verdict);
    else this.checkSettlement(ghost, verdict);
  }

  /** A POST leaves. */
  posted(transactionId: number, post: PostGhost): void {
    const ghost = this.ghost(transactionId);
    this.timeline.trace(`post ${transactionId} attempt ${post.attempt} by ${post.identity}`);
    const isArmed = this.hasJob(transactionId) || ghost.decisions.length > 0;
    if (ghost.isReversible && !isArmed) this.fail('P-I5', transactionId, 'posted before its job was durable');
    this.checkStart(ghost, post);
    this.checkAttempts(ghost, post);
    ghost.posts.push(post);
  }

  /** A 200 in time has reached the process, which holds it from now on, even before it has read it. */
  acknowledged(transactionId: number, process: SimProcess, shard: { shard: number; epoch: number }): void {
    const ghost = this.ghost(transactionId);
    ghost.isAnsweredInTime = true;
    if (!process.isAlive || !ghost.isReversible || !this.tables.holds(process.identity, shard)) return;
    const verdict = this.tables.verdicts.get(transactionId)?.kind;
    if (verdict === undefined) ghost.held.set(process.identity, shard);
    // Only the owner may close what it holds, and it does not while its request is under way.
    else if (isClosed(verdict)) this.fail('R-3.1-2', transactionId, `acknowledged in time, but ${verdict} stands already`);
  }

  /** getNotification answered SUCCESS. */
  pulled(transactionId: number): void {
    const ghost = this.ghost(transactionId);
    ghost.isPulled = true;
    if (ghost.decisions.includes('REVERSED')) this.fail('P-I9', transactionId, 'told SUCCESS after it was reversed');
  }

  private checkClosing({ transactionId, held, posts }: PaymentGhost, { kind, attempt }: VerdictTableRow): void {
    if (held.size > 0) this.fail('P-I4', transactionId, `${kind} although ${[...held.keys()].join()} holds a 200`);
    // An attempt whose connection was refused has no POST.
    const last = posts.at(-1);
    if (kind === 'CLOSED_CONN' && last?.attempt === attempt && last?.wasOurFault)
      this.fail('P-T8', transactionId, 'a fault of ours closed it');
  }

  /** A live owner is fenced before its lease ends only if its own session ended, and it has not sent a heartbeat for the grace (P-T11). */
  private checkTakeover(former: string): void {
    this.timeline.faults.add('shard taken from a live owner');
    const stillMs = this.timeline.nowMs - this.heartbeatAtMs(former);
    if (stillMs >= shardLeaseMs) return;
    if (!this.sessionsEnded.has(former))
      this.fail('P-T11', 0, `${former} is fenced although its session stood, or fell with the server`);
    if (stillMs < graceMs) this.fail('P-T11', 0, `${former} is fenced ${stillMs.toFixed(0)} ms after its heartbeat`);
  }

  private heartbeatAtMs(identity: string): number {
    return this.tables.heartbeatAtMs.get(identity) ?? Number.NEGATIVE_INFINITY;
  }

  private checkSettlement({ transactionId }: PaymentGhost, verdict: string | undefined): void {
    if (verdict === undefined || isClosed(verdict)) this.fail('P-I6', transactionId, `SETTLED, verdict ${verdict ?? 'none'}`);
  }

  private checkReversal(ghost: PaymentGhost, verdict: string | undefined): void {
    const { transactionId } = ghost;
    if (verdict !== undefined && !isClosed(verdict)) this.fail('P-I3', transactionId, `reversed, verdict ${verdict}`);
    if (ghost.held.size > 0) this.fail('P-I4', transactionId, `reversed although ${[...ghost.held.keys()].join()} holds a 200`);
    if (verdict === undefined) this.fail('P-I6', transactionId, 'reversed without a verdict');
    if (ghost.isPulled) this.fail('P-I9', transactionId, 'reversed after getNotification said SUCCESS');
  }

  /** A decided payment is not posted, and an owner without a heartbeat for half of the lease starts no POST (P-1.2-4', P-T6). */
  private checkStart({ transactionId, refusedTo }: PaymentGhost, { identity }: PostGhost): void {
    if (refusedTo.has(identity)) this.fail("P-1.2-4'", transactionId, 'posted although arm said that it is decided');
    const heartbeatAtMs = this.heartbeatAtMs(identity);
    const ageMs = this.timeline.nowMs - heartbeatAtMs;
    if (heartbeatAtMs < (this.heardAtMs.get(identity) ?? Number.NEGATIVE_INFINITY))
      this.fail('P-T11', transactionId, 'posted after its session ended, without a heartbeat since');
    if (ageMs >= shardLeaseMs / 2) this.fail('P-T6', transactionId, `posted with a heartbeat ${ageMs.toFixed(0)} ms old`);
  }

  /**
   * There is a second attempt only after a death, a moved shard or a fault of the platform, and a repeat within an attempt only after a
   * stale socket (P-I8, P-T7).
   */
  private checkAttempts(ghost: PaymentGhost, post: PostGhost): void {
    const last = ghost.posts.at(-1);
    if (!last || !ghost.isReversible) return;
    if (post.attempt > attemptsMax) this.fail('P-I8', ghost.transactionId, `attempt ${post.attempt}`);
    if (ghost.posts.some(former => former.attempt === post.attempt && hasMoved(former, post)))
      this.fail('P-I8', ghost.transactionId, `attempt ${post.attempt} by two owners`);
    if (!mayFollow(last, post))
      this.fail('P-I8', ghost.transactionId, `attempt ${post.attempt} although nobody died and no shard moved`);
  }
}

function hasMoved(last: PostGhost, post: PostGhost): boolean {
  return last.identity !== post.identity || last.epoch !== post.epoch;
}

function mayFollow(last: PostGhost, post: PostGhost): boolean {
  if (post.isRepeat) return last.wasStale && last.attempt === post.attempt && !hasMoved(last, post);
  // After a stale socket the next attempt comes in place of the repeat when the owner had no fresh heartbeat then: a fault of the platform.
  return hasMoved(last, post) || last.wasOurFault || (last.wasStale && !last.isRepeat);
}
