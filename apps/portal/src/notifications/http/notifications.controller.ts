import { Body, Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { PortalNotifications } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { Needs, originOf, type PortalHttpRequest } from '../../sessions/http/portal-request';
import { Scope } from '../../tenancy/scope';
import { MerchantDirectory } from '../../tenancy/tenancy.ports';
import { type AskingPerson, ChangeNotificationsService } from '../change-notifications.service';
import { CheckBody, RecipientBody, UrlBody } from './notifications.dto';

/** Where a merchant is notified. */
@Controller('console/api/merchants/:merchantId/notifications')
export class NotificationsController {
  constructor(
    private readonly notifications: ChangeNotificationsService,
    private readonly directory: MerchantDirectory,
  ) {}

  @Get()
  async show(@Param('merchantId') merchantId: string, @Req() request: PortalHttpRequest): Promise<PortalNotifications> {
    return this.notifications.show(idOf(merchantId), await this.asking(request));
  }

  /** The answer holds the key, this once. */
  @Post('url')
  @HttpCode(200)
  @Needs('CONFIGURE')
  async setUrl(
    @Param('merchantId') merchantId: string,
    @Body() { url }: UrlBody,
    @Req() request: PortalHttpRequest,
  ): Promise<unknown> {
    return this.notifications.do('add-http', { merchantId: idOf(merchantId), url }, await this.asking(request));
  }

  @Post('url/remove')
  @HttpCode(204)
  @Needs('CONFIGURE')
  async removeUrl(@Param('merchantId') merchantId: string, @Req() request: PortalHttpRequest): Promise<void> {
    await this.notifications.do('remove-http', { merchantId: idOf(merchantId) }, await this.asking(request));
  }

  /** Of a URL before it is set, or of the one that is. */
  @Post('check')
  @HttpCode(200)
  async check(
    @Param('merchantId') merchantId: string,
    @Body() { url }: CheckBody,
    @Req() request: PortalHttpRequest,
  ): Promise<unknown> {
    const of = { merchantId: idOf(merchantId), ...(url === undefined ? {} : { url }) };
    return this.notifications.do('check', of, await this.asking(request));
  }

  /** Moves no money; in production it still is a request to a shop at work, which its owner has to want. */
  @Post('test')
  @HttpCode(200)
  @Needs('TEST')
  async sendTest(@Param('merchantId') merchantId: string, @Req() request: PortalHttpRequest): Promise<unknown> {
    return this.notifications.do('send-test', { merchantId: idOf(merchantId) }, await this.asking(request));
  }

  @Post('key')
  @HttpCode(200)
  @Needs('CONFIGURE')
  async renewKey(@Param('merchantId') merchantId: string, @Req() request: PortalHttpRequest): Promise<unknown> {
    return this.notifications.do('renew-key', { merchantId: idOf(merchantId) }, await this.asking(request));
  }

  @Post('recipients')
  @HttpCode(200)
  @Needs('CONFIGURE')
  async addRecipient(
    @Param('merchantId') merchantId: string,
    @Body() body: RecipientBody,
    @Req() request: PortalHttpRequest,
  ): Promise<unknown> {
    return this.notifications.do('add-recipient', { merchantId: idOf(merchantId), ...body }, await this.asking(request));
  }

  @Post('recipients/remove')
  @HttpCode(200)
  @Needs('CONFIGURE')
  async removeRecipient(
    @Param('merchantId') merchantId: string,
    @Body() body: RecipientBody,
    @Req() request: PortalHttpRequest,
  ): Promise<unknown> {
    return this.notifications.do('remove-recipient', { merchantId: idOf(merchantId), ...body }, await this.asking(request));
  }

  private async asking(request: PortalHttpRequest): Promise<AskingPerson> {
    const { person } = request.opened!;
    return { person, scope: await Scope.of(person, this.directory), origin: originOf(request) };
  }
}

function idOf(text: string): number {
  const merchantId = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(merchantId)) throw invalidField('merchantId', 'must be a positive integer');
  return merchantId;
}
