import { Body, Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import type { PortalAnswer, PortalMerchantsAnswer, PortalNotifications, TestNotificationResult } from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { answered } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';
import type { HttpNotificationAnswer } from '../http-notification-answer';
import { PortalNotificationsService } from '../portal-notifications.service';
import { ownerOf, PortalBody, PortalMerchantsBody } from './portal-request.dto';
import { portalCaller } from './portal-caller';

type Answer<T> = Promise<PortalAnswer<T>>;

/** What people do in the portal. The portal has checked whose merchant it is; who asked is written down here. */
@Controller('internal/portal')
export class PortalNotificationsController {
  constructor(private readonly notifications: PortalNotificationsService) {}

  @Post('merchants')
  @HttpCode(200)
  merchants(@Body() { owner }: PortalMerchantsBody): Promise<PortalMerchantsAnswer> {
    return this.notifications.merchantsOf(ownerOf(owner));
  }

  @Post('notifications/list')
  @HttpCode(200)
  list(@Body() { merchantId }: PortalBody): Answer<PortalNotifications> {
    return answered(() => this.notifications.show(merchantId));
  }

  @Post('notifications/add-http')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  addHttp(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<HttpNotificationAnswer> {
    return answered(() => this.notifications.setUrl(body, portalCaller(body, request)));
  }

  @Post('notifications/remove-http')
  @HttpCode(200)
  removeHttp(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<void> {
    return answered(() => this.notifications.removeUrl(body.merchantId, portalCaller(body, request)));
  }

  @Post('notifications/renew-key')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  renewKey(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<HttpNotificationAnswer> {
    return answered(() => this.notifications.renewKey(body.merchantId, portalCaller(body, request)));
  }

  @Post('notifications/add-recipient')
  @HttpCode(200)
  addRecipient(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<PortalNotifications> {
    return answered(() => this.notifications.addRecipient(body, portalCaller(body, request)));
  }

  @Post('notifications/remove-recipient')
  @HttpCode(200)
  removeRecipient(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<PortalNotifications> {
    return answered(() => this.notifications.removeRecipient(body, portalCaller(body, request)));
  }

  /** Of the URL in the body, which need not be set; else of the one that is. */
  @Post('notifications/check')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  check(@Body() { merchantId, url, actor }: PortalBody): Answer<{ url: string } & ProbeOutcome> {
    return answered(() => this.notifications.check({ merchantId, url, caller: `portal ${actor}` }));
  }

  @Post('notifications/send-test')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  sendTest(@Body() body: PortalBody, @Req() request: FastifyRequest): Answer<TestNotificationResult<ProbeOutcome>> {
    const { merchantId, actor } = body;
    const { origin } = portalCaller(body, request);
    // The portal knows roles: in production it lets owners alone ask.
    return answered(() => this.notifications.sendTest({ merchantId, caller: `portal ${actor}`, origin, askedBy: actor }));
  }
}
