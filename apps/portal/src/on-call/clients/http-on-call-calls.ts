import { type InternalClient, InternalCallError } from '@paycode/access';
import { nullWhenUnknown } from '../../neighbours';
import type {
  DeliverySummary,
  DeliveryTimeline,
  EndpointPause,
  MerchantEndpoint,
  PortalAnswer,
  PortalPauseRequest,
  PortalResumeRequest,
  RedeliveryAnswer,
  ReversalState,
  ShardOwners,
} from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { valueOf } from '../../neighbours';
import { OnCallCalls } from '../on-call.ports';

/** The calls that operators' `paycode` command makes. */
export class HttpOnCallCalls extends OnCallCalls {
  constructor(
    private readonly dispatcher: InternalClient,
    private readonly scheduler: InternalClient,
  ) {
    super();
  }

  override oldestOpen(limit: number): Promise<DeliverySummary[]> {
    return this.dispatcher.get<DeliverySummary[]>(`/internal/deliveries?state=oldest&limit=${limit}`);
  }

  override shards(): Promise<ShardOwners> {
    return this.dispatcher.get<ShardOwners>('/internal/shards');
  }

  override delivery(transactionId: number): Promise<DeliveryTimeline | null> {
    return nullWhenUnknown(this.dispatcher.get<DeliveryTimeline>(`/internal/deliveries/${transactionId}`));
  }

  override reversal(transactionId: number): Promise<ReversalState | null> {
    return nullWhenUnknown(this.scheduler.get<ReversalState>(`/internal/reversals/${transactionId}`));
  }

  override async redeliver(transactionId: number): Promise<RedeliveryAnswer> {
    try {
      return await this.dispatcher.post<RedeliveryAnswer>(`/internal/deliveries/${transactionId}/redeliver`, {});
    } catch (error) {
      if (error instanceof InternalCallError && error.status === 404) throw refusal(404, error);
      if (error instanceof InternalCallError && error.status === 409) throw refusal(409, error);
      throw error;
    }
  }

  override endpoints(merchantIds: readonly number[]): Promise<MerchantEndpoint[]> {
    return this.dispatcher.post<MerchantEndpoint[]>('/internal/endpoints', { merchantIds });
  }

  override pauses(): Promise<EndpointPause[]> {
    return this.dispatcher.get<EndpointPause[]>('/internal/endpoints/pauses');
  }

  override async pause(request: PortalPauseRequest): Promise<EndpointPause> {
    return valueOf(await this.dispatcher.post<PortalAnswer<EndpointPause>>('/internal/portal/endpoints/pause', request));
  }

  override async resume(request: PortalResumeRequest): Promise<EndpointPause> {
    return valueOf(await this.dispatcher.post<PortalAnswer<EndpointPause>>('/internal/portal/endpoints/resume', request));
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
