import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import {
  IsId,
  type PortalAnswer,
  type PortalNotificationAnswers,
  type PortalNotificationOperation,
  type PortalNotificationRequest,
} from '@paycode/dto';
import { answered, DomainError } from '@paycode/service-runtime';
import { RecoverNotification } from './recover-notification';
import { RedeliverNotice, ShowNotification } from './show-notification';

/** Body of POST /internal/portal/notifications/{operation}. */
export class PortalNotificationBody implements PortalNotificationRequest {
  @IsId()
  transactionId!: number;

  @IsId()
  merchantId!: number;
}

type Answer<Operation extends PortalNotificationOperation> = Promise<PortalAnswer<PortalNotificationAnswers[Operation]>>;

/** Actions of a merchant's people in the portal on a notification. The portal has checked that it is theirs and records who asked. */
@Controller('internal/portal/notifications')
export class PortalNotificationsController {
  constructor(
    private readonly showNotification: ShowNotification,
    private readonly recoverNotification: RecoverNotification,
    private readonly redeliverNotice: RedeliverNotice,
  ) {}

  /** Acknowledges nothing. */
  @Post('show')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  show(@Body() { transactionId, merchantId }: PortalNotificationBody): Answer<'show'> {
    return answered(async () => (await this.showNotification.show(transactionId, merchantId)) ?? unknown());
  }

  /** getNotification, for the merchant: acknowledges a payment that waits for its answer. */
  @Post('fetch')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  fetch(@Body() { transactionId, merchantId }: PortalNotificationBody): Answer<'fetch'> {
    return answered(async () => {
      const body = await this.recoverNotification.recoverFor(transactionId, merchantId);
      return body === undefined ? unknown() : { body };
    });
  }

  /** Sends a notification that moves no money once more, as attempt 2 or later. */
  @Post('repeat')
  @HttpCode(200)
  repeat(@Body() { transactionId, merchantId }: PortalNotificationBody): Answer<'repeat'> {
    return answered(async () => (await this.redeliverNotice.repeat(transactionId, merchantId)) ?? unknown());
  }
}

function unknown(): never {
  throw new DomainError({ status: 404, reason: 'NO_NOTIFICATION', message: 'there is no such notification' });
}
