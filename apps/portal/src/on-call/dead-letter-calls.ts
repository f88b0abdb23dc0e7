import type { InternalClient } from '@paycode/access';
import type { DeadLetterPage, DeadLetterSummary, RedriveAnswer } from '@paycode/dto';
import type { DeadLettersService } from '@paycode/events';
import type { Proof } from '../sessions/proofs';
import type { LetterService } from './domain/letter-selection';

type Neighbour = Exclude<LetterService, 'portal'>;

/** The dead letters of each service, by the service that keeps them: the neighbours by their calls, the portal's own without one. */
export class DeadLetterCalls {
  constructor(
    private readonly clients: Record<Neighbour, InternalClient>,
    private readonly own: DeadLettersService,
  ) {}

  /** The latest first; `before`: those that are older than this one. */
  async list(service: LetterService, page: { before: number | undefined; limit: number }, proof: Proof): Promise<DeadLetterPage> {
    const { before, limit } = page;
    if (service === 'portal') return this.own.list(before ?? Number.MAX_SAFE_INTEGER, limit);
    const from = before === undefined ? '' : `&before=${before}`;
    return this.clients[service].get<DeadLetterPage>(`/internal/dead-letters?limit=${limit}${from}`, await proof());
  }

  /** Those of these that are still kept. */
  async find(service: LetterService, letterIds: readonly number[], proof: Proof): Promise<DeadLetterSummary[]> {
    if (service === 'portal') return this.own.find(letterIds);
    return this.clients[service].post<DeadLetterSummary[]>('/internal/dead-letters/find', { letterIds }, await proof());
  }

  async redrive(service: LetterService, letterIds: readonly number[], proof: Proof): Promise<RedriveAnswer[]> {
    if (service === 'portal') return this.own.redrive(letterIds);
    return this.clients[service].post<RedriveAnswer[]>('/internal/dead-letters/redrive', { letterIds }, await proof());
  }
}
