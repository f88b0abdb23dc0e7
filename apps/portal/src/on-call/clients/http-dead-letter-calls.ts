import type { InternalClient } from '@paycode/access';
import type { DeadLetterPage, DeadLetterSummary, RedriveAnswer } from '@paycode/dto';
import type { DeadLettersService } from '@paycode/events';
import { DeadLetterCalls } from '../dead-letters.ports';
import type { LetterService } from '../domain/letter-selection';

type Neighbour = Exclude<LetterService, 'portal'>;

/** The neighbours by their calls, the portal's own letters without one. */
export class HttpDeadLetterCalls extends DeadLetterCalls {
  constructor(
    private readonly clients: Record<Neighbour, InternalClient>,
    private readonly own: DeadLettersService,
  ) {
    super();
  }

  override list(
    service: LetterService,
    { before, limit }: { before: number | undefined; limit: number },
  ): Promise<DeadLetterPage> {
    if (service === 'portal') return this.own.list(before ?? Number.MAX_SAFE_INTEGER, limit);
    const from = before === undefined ? '' : `&before=${before}`;
    return this.clients[service].get<DeadLetterPage>(`/internal/dead-letters?limit=${limit}${from}`);
  }

  override find(service: LetterService, letterIds: readonly number[]): Promise<DeadLetterSummary[]> {
    if (service === 'portal') return this.own.find(letterIds);
    return this.clients[service].post<DeadLetterSummary[]>('/internal/dead-letters/find', { letterIds });
  }

  override redrive(service: LetterService, letterIds: readonly number[]): Promise<RedriveAnswer[]> {
    if (service === 'portal') return this.own.redrive(letterIds);
    return this.clients[service].post<RedriveAnswer[]>('/internal/dead-letters/redrive', { letterIds });
  }
}
