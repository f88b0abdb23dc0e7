import type { PortalNotificationRequest } from '@paycode/dto';
import { IsInt, Max, Min } from 'class-validator';

/** Body of POST /internal/portal/notifications/{operation}. */
export class PortalNotificationBody implements PortalNotificationRequest {
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  transactionId!: number;

  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  merchantId!: number;
}
