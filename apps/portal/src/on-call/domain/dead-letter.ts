import type { DeadLetterSummary } from '@paycode/dto';

/** The services whose groups park events. A payment core's groups are its own. */
export const letterServices = ['webhook-dispatcher', 'reversal-scheduler', 'recipient-messages', 'portal'] as const;
export type LetterService = (typeof letterServices)[number];

export interface LetterRef {
  service: LetterService;
  letterId: number;
}

export type ServiceLetter = DeadLetterSummary & { service: LetterService };

/** The ids by service, each once. */
export function byService(refs: readonly LetterRef[]): [LetterService, number[]][] {
  return letterServices
    .map((name): [LetterService, number[]] => [name, idsOf(refs.filter(({ service }) => service === name))])
    .filter(([, ids]) => ids.length > 0);
}

/** Changes with what is asked about: other letters, or one that was refused once more. */
export function textOf(letters: readonly ServiceLetter[]): string {
  const lines = letters.map(({ service, letterId, topic, group, times, reason }) =>
    JSON.stringify([service, letterId, topic, group, times, reason]),
  );
  return lines.sort().join('\n');
}

function idsOf(refs: readonly LetterRef[]): number[] {
  return [...new Set(refs.map(({ letterId }) => letterId))];
}

/** Facts about a dead letter and its payment; undefined: the service that has the fact did not answer. */
export interface LetterFacts {
  group: string;
  /** null: nothing is wrong with the record itself. */
  defect: string | null;
  eventAt: string | null;
  hasDelivery: boolean | undefined;
  isDecided: boolean | undefined;
}

/**
 * The effect of a redrive. FAILS_AGAIN: the record itself cannot be used. DUPLICATE: it was handled since, and is ignored. DECIDED: its money was
 * decided without it. LATE: of a payment, too old to be delivered. UNKNOWN: the service that has the facts did not answer.
 */
export type RedriveEffect =
  | 'FAILS_AGAIN'
  | 'DUPLICATE'
  | 'DECIDED'
  | 'LATE'
  | 'DELIVERED'
  | 'SETTLED'
  | 'REVERSED'
  | 'WATCHED'
  | 'MESSAGES'
  | 'SHOWN'
  | 'UNKNOWN';

/** A payment that the dispatcher sees later than this is reversed at its first attempt. */
const freshMs = 900_000;

type Rule = (facts: LetterFacts, nowMs: number) => RedriveEffect;

const decidedOr =
  (otherwise: RedriveEffect): Rule =>
  ({ isDecided }) =>
    isDecided === undefined ? 'UNKNOWN' : isDecided ? 'DUPLICATE' : otherwise;

const rules: Record<string, Rule> = {
  'webhook-dispatcher': (facts, nowMs) => {
    if (facts.hasDelivery === undefined) return 'UNKNOWN';
    if (facts.hasDelivery) return 'DUPLICATE';
    if (facts.isDecided) return 'DECIDED';
    return facts.eventAt !== null && nowMs - Date.parse(facts.eventAt) > freshMs ? 'LATE' : 'DELIVERED';
  },
  'reversal-scheduler': decidedOr('SETTLED'),
  'reversal-scheduler-restore': decidedOr('REVERSED'),
  'reversal-scheduler-audit': decidedOr('WATCHED'),
  'recipient-messages': () => 'MESSAGES',
  portal: () => 'SHOWN',
  'portal-acks': () => 'SHOWN',
  'portal-reversals': () => 'SHOWN',
};

export function effectOf(facts: LetterFacts, nowMs: number): RedriveEffect {
  if (facts.defect !== null) return 'FAILS_AGAIN';
  return rules[facts.group]?.(facts, nowMs) ?? 'UNKNOWN';
}
