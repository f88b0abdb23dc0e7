import { Body, Controller, Get, Header, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import {
  type Identity,
  idOf,
  IsId,
  type PortalAnswer,
  type PortalNotificationAnswers,
  type PortalNotificationOperation,
  type PortalNotificationRequest,
} from '@paycode/dto';
import { answered, DomainError } from '@paycode/service-runtime';
import { RecoverNotification } from './recover-notification';
import { RedeliverNotice, ShowNotification } from './show-notification';

/** Recovery: a merchant reads a notification that its webhook missed; the read acknowledges it. */
@Controller('pluto/purchase/notification')
@UseGuards(IdentityGuard)
export class PurchaseNotificationController {
  constructor(private readonly recoverNotification: RecoverNotification) {}

  @Get(':transactionId')
  @Header('cache-control', 'no-store')
  @Header('content-type', 'application/json; charset=utf-8')
  async read(@Param('transactionId') text: string, @CallerIdentity() caller: Identity): Promise<string> {
    if (!caller.roles.includes('EXTERNAL')) throw new DomainError({ status: 403, reason: 'ROLE', message: 'Forbidden' });
    const id = idOf(text);
    const json = id === undefined ? undefined : await this.recover(id, caller);
    // Every reason gives the same body.
    if (json === undefined) throw new DomainError({ status: 404, reason: 'NO_NOTIFICATION', message: 'Not Found' });
    return json;
  }

  private async recover(transactionId: number, caller: Identity): Promise<string | undefined> {
    try {
      return await this.recoverNotification.recover(transactionId, caller);
    } catch (cause) {
      // The caller got no notification, so it can ask again without harm.
      throw new DomainError({ status: 503, reason: 'RECOVERY_UNAVAILABLE', message: 'Service Unavailable', cause });
    }
  }
}

/** Body of POST /internal/portal/notifications/{operation}. */
export class PortalNotificationBody implements PortalNotificationRequest {
  @IsId()
  transactionId!: number;

  @IsId()
  merchantId!: number;
}

type Answer<Operation extends PortalNotificationOperation> = Promise<PortalAnswer<PortalNotificationAnswers[Operation]>>;

/** Actions of people of a merchant or its PSP in the portal on a notification. The portal records who asked. */
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
