import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { PortalFetchedNotification, PortalShownNotification } from '@paycode/dto';
import { Needs, originOf, type PortalHttpRequest } from '../../sessions/http/portal-request';
import { Scope } from '../../tenancy/scope';
import { MerchantDirectory } from '../../tenancy/tenancy.ports';
import { type NotificationCaller, ReadNotificationService } from '../read-notification.service';
import { transactionIdOf } from './transaction-id';

/** The notification of one payment. Changes of state by POST: a link alone shows nobody's data and settles nothing. */
@Controller('console/api/payments/:transactionId/notification')
export class NotificationController {
  constructor(
    private readonly notifications: ReadNotificationService,
    private readonly directory: MerchantDirectory,
  ) {}

  @Post('show')
  @HttpCode(200)
  @Needs('NOTIFICATION')
  async show(@Param('transactionId') text: string, @Req() request: PortalHttpRequest): Promise<PortalShownNotification> {
    return this.notifications.show(transactionIdOf(text), await this.callerOf(request));
  }

  @Post('fetch')
  @HttpCode(200)
  @Needs('NOTIFICATION')
  async fetch(@Param('transactionId') text: string, @Req() request: PortalHttpRequest): Promise<PortalFetchedNotification> {
    return this.notifications.fetch(transactionIdOf(text), await this.callerOf(request));
  }

  private async callerOf(request: PortalHttpRequest): Promise<NotificationCaller> {
    const { person } = request.opened!;
    return { person, scope: await Scope.of(person, this.directory), origin: originOf(request) };
  }
}
