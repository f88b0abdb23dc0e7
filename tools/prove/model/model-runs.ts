/** One run of the model checker. */
export interface ModelRun {
  name: string;
  /** Statement of the protocol that the run proves. */
  shows: string;
  /** Preprocessor definitions for Spin: budgets, and guards taken out. */
  defines: readonly string[];
  /** `safety`: assertions and deadlocks; otherwise the name of an LTL claim of the model. */
  property: 'safety' | 'agree' | 'ends';
  /** Whether the checker must find an error: removing a guard must be noticed, or the guard is useless. */
  expects: 'no error' | 'an error';
}

/** Budgets of the small form: minutes become seconds, every guard still shows. */
const smallBudget = ['-DCRASH_S=0', '-DLOST=0'];
/** No faults, because losing an event needs no crash. */
const noFaults = ['-DCRASH_D=0', '-DCRASH_S=0', '-DLOST=0', '-DSUSPECT=0'];

function base(budget: readonly string[]): ModelRun[] {
  const run = { defines: budget, expects: 'no error' } as const;
  return [
    {
      name: 'safety',
      shows: 'P-I1 to P-I5: never both, never reversed twice, an acknowledgement wins, no deadlock',
      property: 'safety',
      ...run,
    },
    { name: 'agreement', shows: 'P-I6: SETTLED exactly for ACKED, REVERSED exactly for CLOSED', property: 'agree', ...run },
    { name: 'liveness', shows: 'P-I7: every payment ends, settled or reversed', property: 'ends', ...run },
  ];
}

const brokenSafety: [string, string][] = [
  ['NO_CLOSE', 'a timer that decides reverses an acknowledged payment'],
  ['HWM_ONLY', 'a timer that waits for AckReceived to be drained reverses one too: the acknowledgement is still in the outbox'],
  ['NO_OWNER', 'close on time alone reverses a payment whose 200 is in the memory of a live owner (the 44.9 s case)'],
  ['SKEW', 'an owner check and a write in two statements let a claim slip between'],
  ['NO_CAS', 'a verdict that is read, then written, is written twice'],
  ['DEC_NOCAS', 'a decision that is not write once reverses twice'],
  ['NO_EPOCH', 'a fenced replica closes while its successor holds a 200'],
  ['POST_FIRST', 'a POST leaves before its job is durable'],
  ['NO_DEDUP', 'a duplicate event re-opens an acknowledged delivery'],
  ['STRICT', 'the limit of any protocol: a 200 known only to a process that then died (protocol 1.7)'],
];

const guards: ModelRun[] = [
  ...brokenSafety.map(([guard, shows]): ModelRun => ({
    name: `without ${guard}`,
    shows,
    defines: [`-D${guard}`],
    property: 'safety',
    expects: 'an error',
  })),
  {
    name: 'without NO_RETAKE',
    shows: 'without take-over the delivery of a dead owner never ends',
    defines: ['-DNO_RETAKE'],
    property: 'ends',
    expects: 'an error',
  },
  {
    name: 'without NO_WATCH',
    shows: 'without the audit an event that the dispatcher lost never ends',
    defines: ['-DLOSES', '-DNO_WATCH', ...noFaults],
    property: 'ends',
    expects: 'an error',
  },
];

/** Ways by which the scheduler learns of an acknowledgement: no property may depend on which of them works. */
function ways(budget: readonly string[]): ModelRun[] {
  const run = { expects: 'no error' } as const;
  return [
    {
      name: 'safety, told directly too',
      shows:
        'P-I1 to P-I5 while a positive verdict is told by AckReceived and directly: two versions of the dispatcher in a roll-out',
      defines: [...budget, '-DTELL_ACKED'],
      property: 'safety',
      ...run,
    },
    {
      name: 'liveness without AckReceived',
      shows: 'P-I7 although AckReceived never comes: the timer asks, and the answer settles',
      defines: [...budget, '-DNO_RELAY'],
      property: 'ends',
      ...run,
    },
  ];
}

/** The form for every change: seconds, some 200 MB. */
export const smallRuns: ModelRun[] = [...base(smallBudget), ...ways(smallBudget), ...guards];

/** The form of the protocol page: budgets as published there, some minutes, below 2 GB. */
export const fullRuns: ModelRun[] = [
  ...base([]),
  ...ways([]),
  {
    name: 'liveness with losses',
    shows: 'P-I7 although the dispatcher loses the event or can never arm it: the audit ends it',
    defines: ['-DLOSES', '-DSTUCK=1'],
    property: 'ends',
    expects: 'no error',
  },
  ...guards,
];
