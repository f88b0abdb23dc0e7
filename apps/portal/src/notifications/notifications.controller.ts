import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  type Channel,
  channels,
  type CheckedUrl,
  type HttpNotificationAnswer,
  IsReceiverCredential,
  type PortalNotifications,
  type ReceiverCredential,
  type TestNotificationResult,
} from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { ParseIdPipe } from '@paycode/service-runtime';
import { IsBoolean, IsIn, IsOptional, IsString, Length } from 'class-validator';
import { AskedBy, Needs } from '../sessions/portal.guard';
import { CurrentPasswordBody } from '../sign-in/password.service';
import { ScopedPipe } from '../tenancy/scope';
import { type AskingPerson, NotificationsService } from './notifications.service';

export class UrlBody extends CurrentPasswordBody {
  @IsString()
  @Length(1, 2_048)
  url!: string;

  /** The server demands it of each request; `{}`: nothing. Absent: stays as it is. */
  @IsOptional()
  @IsReceiverCredential()
  credential?: ReceiverCredential;

  /** Whether connections show the platform's client certificate. Absent: stays as it is. */
  @IsOptional()
  @IsBoolean()
  clientCertificate?: boolean;
}

export class CheckBody {
  @IsOptional()
  @IsString()
  @Length(1, 2_048)
  url?: string;
}

export class RecipientBody {
  @IsIn(channels)
  type!: Channel;

  @IsString()
  @Length(1, 254)
  value!: string;
}

export class RemoveRecipientBody extends RecipientBody {
  /** The person's own password. */
  @IsString()
  @Length(1, 1_000)
  current!: string;
}

/** Where a merchant is notified. */
@Controller('console/api/merchants/:merchantId/notifications')
export class NotificationsController {
  constructor(private readonly notifications: NotificationsService) {}

  @Get()
  show(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @AskedBy(ScopedPipe) asking: AskingPerson,
  ): Promise<PortalNotifications> {
    return this.notifications.show(merchantId, asking);
  }

  /** The answer holds the key, this once. */
  @Post('url')
  @HttpCode(200)
  @Needs('CONFIGURE')
  setUrl(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() { current, ...wanted }: UrlBody,
    @AskedBy(ScopedPipe) asking: AskingPerson,
  ): Promise<HttpNotificationAnswer> {
    return this.notifications.doProven('add-http', { current, request: { merchantId, ...wanted } }, asking);
  }

  @Post('url/remove')
  @HttpCode(204)
  @Needs('CONFIGURE')
  async removeUrl(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() { current }: CurrentPasswordBody,
    @AskedBy(ScopedPipe) asking: AskingPerson,
  ): Promise<void> {
    await this.notifications.doProven('remove-http', { current, request: { merchantId } }, asking);
  }

  /** Of a URL before it is set, or of the one that is. */
  @Post('check')
  @HttpCode(200)
  check(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() { url }: CheckBody,
    @AskedBy(ScopedPipe) asking: AskingPerson,
  ): Promise<CheckedUrl<ProbeOutcome>> {
    const of = { merchantId, ...(url === undefined ? {} : { url }) };
    return this.notifications.do('check', of, asking);
  }

  /** Moves no money; in production it still is a request to a shop at work, which its owner has to want. */
  @Post('test')
  @HttpCode(200)
  @Needs('TEST')
  sendTest(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @AskedBy(ScopedPipe) asking: AskingPerson,
  ): Promise<TestNotificationResult<ProbeOutcome>> {
    return this.notifications.do('send-test', { merchantId }, asking);
  }

  @Post('key')
  @HttpCode(200)
  @Needs('CONFIGURE')
  renewKey(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() { current }: CurrentPasswordBody,
    @AskedBy(ScopedPipe) asking: AskingPerson,
  ): Promise<HttpNotificationAnswer> {
    return this.notifications.doProven('renew-key', { current, request: { merchantId } }, asking);
  }

  @Post('recipients')
  @HttpCode(200)
  @Needs('CONFIGURE')
  addRecipient(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() body: RecipientBody,
    @AskedBy(ScopedPipe) asking: AskingPerson,
  ): Promise<PortalNotifications> {
    return this.notifications.do('add-recipient', { merchantId, ...body }, asking);
  }

  @Post('recipients/remove')
  @HttpCode(200)
  @Needs('CONFIGURE')
  removeRecipient(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() { current, ...body }: RemoveRecipientBody,
    @AskedBy(ScopedPipe) asking: AskingPerson,
  ): Promise<PortalNotifications> {
    return this.notifications.doProven('remove-recipient', { current, request: { merchantId, ...body } }, asking);
  }
}
