import type { NetworkFaults } from '../engine/network.ts';
import type { Random } from '../engine/timeline.ts';

/**
 * Guards of the protocol (section 2, and some timing rules) that a simulation can run without. The simulation must notice each removal;
 * otherwise the guard is useless.
 */
export const mutations = {
  NO_CLOSE: 'the timer decides and asks nobody',
  HWM_ONLY: 'the timer decides once AckReceived is drained',
  NO_OWNER: 'close may close a delivery that an owner holds',
  SKEW: 'close looks for a delivery, then writes, in two statements',
  NO_CAS: 'the verdict is read, then written',
  DEC_NOCAS: 'the decision is not write once',
  NO_EPOCH: 'a fenced replica may write a negative verdict',
  POST_FIRST: 'the POST does not wait for the arm',
  ARM_FIRST: 'a payment is armed before it has a connection (P-T13)',
  OWN_CONGESTION: 'a connection that our own congestion delays counts as a fault of the receiver (P-T8)',
  NO_DEDUP: 'a duplicate event re-opens the delivery',
  NO_RETAKE: 'nobody takes over the shards of a dead owner',
  NO_ACK_TOKEN: 'an AckReceived without the token of its payment settles it (T-18)',
  NO_WATCH: 'no audit follows TransactionTerminal',
  NO_POLL_TURNS: 'a deadline counts before the event loop has polled (P-T3)',
  OUR_FAULTS: 'faults of the platform count as faults of the receiver (P-T8)',
  NO_CLAIM: 'an attempt may start although another owner claimed it (P-I8)',
  NO_AMAX: 'any number of attempts (P-I8)',
  NO_HEARTBEAT: 'a POST may start although the heartbeat is old (P-T6)',
  NO_GRACE: 'a replica whose lock fell is dead at once (P-T11)',
  LOCKS_AFTER_OUTAGE: 'a lock that fell with the server counts as one that fell alone (P-T11)',
  NO_SESSION_FENCE: 'a POST may start although the session is known to have ended (P-T11)',
  LATE_200: 'a 200 is accepted after 45 s (P-T1)',
  REPEAT_ALWAYS: 'every failed request is repeated, not only one on a stale socket (P-T7)',
  NO_ARM_ANSWER: "what arm answers is ignored (P-1.2-4')",
  PULL_FIRST: 'getNotification answers before the verdict is committed (P-I9)',
  NO_BUDGET: 'more requests than sockets (P-I12)',
  ONE_QUEUE: 'all merchants of an origin have one queue (P-I12)',
  NO_PAUSE_END: 'a pause of an endpoint does not end by itself (A-99)',
  NO_LEASE: 'routes are used beyond their lease (P-I11)',
} as const;

export type Mutation = keyof typeof mutations;

export const receiverTroubles = [
  'slow',
  'edge',
  'late',
  'refusing',
  'hanging',
  'reset',
  'unreachable',
  'stale',
  'ourFault',
  'ourFaultAfterSend',
] as const;
export type ReceiverTrouble = (typeof receiverTroubles)[number];

/** The faults of one simulation. Times in milliseconds; rates per virtual second. */
export type Swarm = ReturnType<typeof swarmOf>;

/** Swarm testing: leaving most faults out of most runs finds errors that all faults together would hide. */
export function swarmOf(random: Random) {
  const sometimes = (strength: number) => (random.chance(0.5) ? random.between(0, strength) : 0);
  const haste = random.pick(['none', 'none', 'some', 'wild'] as const);
  return {
    payments: random.integer(20, 250),
    /** Virtual time in which faults happen and payments come. */
    faultsMs: random.between(30_000, 180_000),
    network: networkOf(random, sometimes),
    killDispatcherRate: sometimes(0.1),
    killSchedulerRate: sometimes(0.1),
    /** Dispatchers that are told to stop: they hand their shards over (P-T9). */
    cleanRestartRate: sometimes(0.05),
    /** Chance that a process dies at an await that ends, or at a timer. */
    crashAtAwait: random.chance(0.25) ? random.between(0, 0.001) : 0,
    pauseDispatcherRate: sometimes(0.2),
    pauseSchedulerRate: sometimes(0.2),
    /** Longest pause: beyond the lease a live owner is taken for dead. */
    pauseMs: random.pick([300, 2_000, 15_000, 60_000]),
    dispatcherDatabaseOutageRate: sometimes(0.03),
    schedulerDatabaseOutageRate: sometimes(0.03),
    configOutageRate: sometimes(0.02),
    kafkaOutageRate: sometimes(0.02),
    outageMs: random.pick([1_000, 10_000, 60_000]),
    rebalanceRate: sometimes(0.1),
    /** Of the events: seen twice; published after later ones; skipped by the dispatcher. */
    duplicateEvents: sometimes(0.3),
    lateEvents: sometimes(0.1),
    lostEvents: sometimes(0.2),
    /** Of the payments: the merchant reads the notification. */
    pulls: sometimes(0.3),
    renewKeyRate: sometimes(0.2),
    /** Of the POSTs: what the receiver does. The rest is acknowledged at once. */
    receiver: Object.fromEntries(receiverTroubles.map(trouble => [trouble, sometimes(0.2)])) as Record<ReceiverTrouble, number>,
    /** People who pause an endpoint, and for how long at most: also beyond B, because safety must not depend on it. */
    pauseEndpointRate: sometimes(0.05),
    pauseEndpointMs: random.pick([2_000, 30_000, 300_000]),
    /** Sockets of a dispatcher, and deliveries in its memory: few make queues wait in the database. */
    ...random.pick([
      { slotsMax: 64, heldMax: 500 },
      { slotsMax: 16, heldMax: 20 },
    ]),
    /** Between two statements of one kind. */
    spacingMs: random.pick([0, 0, 5, 20]),
    ...durations[haste](random),
    /** Whether a process knows that the one before it at its place has ended (P-T10). */
    isSupervised: random.chance(0.5),
    /** Life sessions of dispatchers that end although the process lives (P-T11), and the share of them of which the process hears. */
    endSessionRate: sometimes(0.1),
    sessionEndsHeard: random.pick([0, 0.5, 1]),
  };
}

function networkOf(random: Random, sometimes: (strength: number) => number): NetworkFaults {
  return {
    lostBefore: sometimes(0.1),
    lostAfter: sometimes(0.15),
    duplicated: sometimes(0.1),
    lateRarity: random.pick([2, 10, 100, 1_000]),
    lateMs: random.between(100, 8_000),
  };
}

/**
 * Half of the runs use real durations. Shorter ones reach the same states sooner, and safety must not depend on durations: a timer and the
 * audit may ask at any time (protocol section 2). The timer: from arming to the first question; the audit: how far it runs behind; B: how long a
 * payment may wait for its first POST.
 */
const durations = {
  none: () => ({ timerDelayMs: 60_000, auditDelayMs: 900_000, dispatchWindowMs: 890_000 }),
  some: () => ({ timerDelayMs: 60_000, auditDelayMs: 120_000, dispatchWindowMs: 110_000 }),
  wild: (random: Random) => ({
    timerDelayMs: random.pick([1, 12]) * random.between(0, 5_000),
    auditDelayMs: random.between(0, 20_000),
    dispatchWindowMs: random.between(1_000, 110_000),
  }),
};
