import type { InternalClient } from '@paycode/access';
import type {
  MerchantEndpoint,
  PortalAccount,
  PortalAccountRequest,
  PortalAnswer,
  PortalNotifications,
  PortalRequest,
} from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { valueOf } from '../../neighbours';
import { MerchantCalls } from '../on-call.ports';

/** The calls that the pages of the merchant's own people make. */
export class HttpMerchantCalls extends MerchantCalls {
  constructor(
    private readonly notificationConfig: InternalClient,
    private readonly authSession: InternalClient,
    private readonly dispatcher: InternalClient,
  ) {
    super();
  }

  override notifications(merchantId: number, actor: string): Promise<PortalNotifications | null> {
    const request: PortalRequest = { merchantId, actor };
    return nullWhenUnknown(
      this.notificationConfig.post<PortalAnswer<PortalNotifications>>('/internal/portal/notifications/list', request),
    );
  }

  override account(merchantId: number, actor: string): Promise<PortalAccount | null> {
    const request: PortalAccountRequest = { type: 'MERCHANT', ownerId: merchantId, actor };
    return nullWhenUnknown(this.authSession.post<PortalAnswer<PortalAccount>>('/internal/portal/accounts/show', request));
  }

  override async endpoint(merchantId: number): Promise<MerchantEndpoint> {
    const [endpoint] = await this.dispatcher.post<[MerchantEndpoint]>('/internal/endpoints', { merchantIds: [merchantId] });
    return endpoint;
  }
}

async function nullWhenUnknown<T>(asked: Promise<PortalAnswer<T>>): Promise<T | null> {
  try {
    return valueOf(await asked);
  } catch (error) {
    if (error instanceof DomainError && error.status === 404) return null;
    throw error;
  }
}
