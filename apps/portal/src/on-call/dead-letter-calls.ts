import type { InternalClient } from '@paycode/access';
import type { DeadLetterPage, DeadLetterSummary, RedriveAnswer } from '@paycode/dto';
import type { DeadLettersService } from '@paycode/events';
import type { LetterService } from './domain/letter-selection';

type Neighbour = Exclude<LetterService, 'portal'>;

/** The dead letters of each service, by the service that keeps them: the neighbours by their calls, the portal's own without one. */
export class DeadLetterCalls {
  constructor(
    private readonly clients: Record<Neighbour, InternalClient>,
    private readonly own: DeadLettersService,
  ) {}

  /** The latest first; `before`: those that are older than this one. */
  list(service: LetterService, { before, limit }: { before: number | undefined; limit: number }): Promise<DeadLetterPage> {
    if (service === 'portal') return this.own.list(before ?? Number.MAX_SAFE_INTEGER, limit);
    const from = before === undefined ? '' : `&before=${before}`;
    return this.clients[service].get<DeadLetterPage>(`/internal/dead-letters?limit=${limit}${from}`);
  }

  /** Those of these that are still kept. */
  find(service: LetterService, letterIds: readonly number[]): Promise<DeadLetterSummary[]> {
    if (service === 'portal') return this.own.find(letterIds);
    return this.clients[service].post<DeadLetterSummary[]>('/internal/dead-letters/find', { letterIds });
  }

  redrive(service: LetterService, letterIds: readonly number[]): Promise<RedriveAnswer[]> {
    if (service === 'portal') return this.own.redrive(letterIds);
    return this.clients[service].post<RedriveAnswer[]>('/internal/dead-letters/redrive', { letterIds });
  }
}
