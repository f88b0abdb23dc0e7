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
  NO_DEDUP: 'a duplicate event re-opens the delivery',
  NO_RETAKE: 'nobody takes over the shards of a dead owner',
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
