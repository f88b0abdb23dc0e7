import { Body, Controller, Header, HttpCode, Post, UseGuards } from '@nestjs/common';
import { IdentityGuard } from '@paycode/access';
import type { NotificationEntry } from '../domain/notification-configuration';
import type { HttpNotificationAnswer } from '../http-notification-answer';
import type { NotificationCaller } from '../notification-caller';
import { RecipientsService } from '../recipients.service';
import { RenewKeyService } from '../renew-key.service';
import { SetHttpNotificationService } from '../set-http-notification.service';
import { Caller } from './caller';
import { NotificationCallersGuard } from './notification-callers.guard';
import { AddHttpRequest, AddRecipientRequest, MerchantRequest } from './notification-request.dto';

/** Merchant notification endpoints (R-4.3-1). */
@Controller('portal/restful/merchant/notification')
@UseGuards(IdentityGuard, NotificationCallersGuard)
export class NotificationsController {
  constructor(
    private readonly http: SetHttpNotificationService,
    private readonly keys: RenewKeyService,
    private readonly recipients: RecipientsService,
  ) {}

  @Post('addHttp')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  addHttp(
    @Body() { merchantId, url, version }: AddHttpRequest,
    @Caller() caller: NotificationCaller,
  ): Promise<HttpNotificationAnswer> {
    return this.http.set({ merchantId, url, version }, caller);
  }

  @Post('renewKey')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  renewKey(@Body() { merchantId }: MerchantRequest, @Caller() caller: NotificationCaller): Promise<HttpNotificationAnswer> {
    return this.keys.renew(merchantId, caller);
  }

  @Post('extra')
  @HttpCode(200)
  extra(@Body() body: AddRecipientRequest, @Caller() caller: NotificationCaller): Promise<NotificationEntry[]> {
    return this.recipients.add(body.merchantId, { type: body.type, value: body.value }, caller);
  }

  @Post('list')
  @HttpCode(200)
  list(@Body() { merchantId }: MerchantRequest, @Caller() caller: NotificationCaller): Promise<NotificationEntry[]> {
    return this.recipients.list(merchantId, caller);
  }
}
