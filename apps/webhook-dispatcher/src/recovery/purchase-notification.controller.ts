import { Controller, Get, Header, Param, UseGuards } from '@nestjs/common';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import { type Identity, idOf } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { RecoverNotification } from './recover-notification';

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
