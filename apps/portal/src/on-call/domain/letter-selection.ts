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
