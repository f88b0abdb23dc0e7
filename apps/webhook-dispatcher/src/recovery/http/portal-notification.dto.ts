import { IsId, type PortalNotificationRequest } from '@paycode/dto';

/** Body of POST /internal/portal/notifications/{operation}. */
export class PortalNotificationBody implements PortalNotificationRequest {
  @IsId()
  transactionId!: number;

  @IsId()
  merchantId!: number;
}
