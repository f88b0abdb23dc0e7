import type { InternalClient } from '@paycode/access';
import { nullWhenUnknown } from '../../neighbours';
import type { DeliveryTimeline, MerchantEndpoint, ReversalState } from '@paycode/dto';
import { PaymentWitness } from '../payments.ports';

/** Asks dispatcher and scheduler, whose tables nobody else reads. */
export class HttpPaymentWitness extends PaymentWitness {
  constructor(
    private readonly dispatcher: InternalClient,
    private readonly scheduler: InternalClient,
  ) {
    super();
  }

  override delivery(transactionId: number): Promise<DeliveryTimeline | null> {
    return nullWhenUnknown(this.dispatcher.get<DeliveryTimeline>(`/internal/deliveries/${transactionId}`));
  }

  override reversal(transactionId: number): Promise<ReversalState | null> {
    return nullWhenUnknown(this.scheduler.get<ReversalState>(`/internal/reversals/${transactionId}`));
  }

  override async pausedUntil(merchantId: number): Promise<string | null> {
    const [endpoint] = await this.dispatcher.post<MerchantEndpoint[]>('/internal/endpoints', { merchantIds: [merchantId] });
    return endpoint?.pause?.endsAt ?? null;
  }
}
