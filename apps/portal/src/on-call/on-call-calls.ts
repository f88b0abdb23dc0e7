import { InternalCallError, type InternalClient } from '@paycode/access';
import type {
  DeadLetterPage,
  DeadLetterSummary,
  DeliverySummary,
  EndpointPause,
  EndpointPauseRequest,
  MerchantEndpoint,
  PortalAnswer,
  PortalResumeRequest,
  RedeliveryAnswer,
  RedriveAnswer,
  ShardOwners,
} from '@paycode/dto';
import type { DeadLettersService } from '@paycode/events';
import { DomainError } from '@paycode/service-runtime';
import { valueOf } from '../neighbours';
import { PaymentCalls } from '../payments/payment-calls';
import type { Proof } from '../sessions/proofs';
import type { LetterService } from './domain/dead-letter';

/** Calls to the services that act on payments, for people on call. */
export class OnCallCalls extends PaymentCalls {
  /** Deliveries without a verdict, the oldest first. */
  oldestOpen(limit: number): Promise<DeliverySummary[]> {
    return this.dispatcher.get<DeliverySummary[]>(`/internal/deliveries?state=oldest&limit=${limit}`);
  }

  shards(): Promise<ShardOwners> {
    return this.dispatcher.get<ShardOwners>('/internal/shards');
  }

  /** @throws DomainError 404 for an unknown transaction, 409 for a payment or a delivery that is under way */
  async redeliver(transactionId: number, proof: Proof): Promise<RedeliveryAnswer> {
    const path = `/internal/deliveries/${transactionId}/redeliver`;
    try {
      return await this.dispatcher.post<RedeliveryAnswer>(path, {}, await proof());
    } catch (error) {
      if (error instanceof InternalCallError && error.status === 404) throw refusal(404, error);
      if (error instanceof InternalCallError && error.status === 409) throw refusal(409, error);
      throw error;
    }
  }

  /** Where deliveries of these merchants go, at most 500 of them. */
  async endpoints(merchantIds: readonly number[], proof: Proof): Promise<MerchantEndpoint[]> {
    return this.dispatcher.post<MerchantEndpoint[]>('/internal/endpoints', { merchantIds }, await proof());
  }

  /** Those in effect, then the latest others. */
  async pauses(proof: Proof): Promise<EndpointPause[]> {
    return this.dispatcher.get<EndpointPause[]>('/internal/endpoints/pauses', await proof());
  }

  /** @throws DomainError with what the dispatcher refuses, in its words */
  async pause(request: EndpointPauseRequest, proof: Proof): Promise<EndpointPause> {
    const path = '/internal/portal/endpoints/pause';
    return valueOf(await this.dispatcher.post<PortalAnswer<EndpointPause>>(path, request, await proof()));
  }

  /** @throws DomainError with what the dispatcher refuses, in its words */
  async resume(request: PortalResumeRequest, proof: Proof): Promise<EndpointPause> {
    const path = '/internal/portal/endpoints/resume';
    return valueOf(await this.dispatcher.post<PortalAnswer<EndpointPause>>(path, request, await proof()));
  }
}

const refusals = {
  404: { status: 404, reason: 'NO_DELIVERY', message: 'the dispatcher knows no such transaction' },
  409: {
    status: 409,
    reason: 'NOT_REDELIVERABLE',
    message: 'this cannot be sent again: it moves money, or its first delivery is still under way',
  },
} as const;

function refusal(status: keyof typeof refusals, cause: Error): DomainError {
  return new DomainError({ ...refusals[status], cause });
}

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
