import { Body, Controller, Delete, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { type Channel, channels, type TestNotificationResult, validTypesText, WithoutCardNumber } from '@paycode/dto';
import type { ProbeOutcome } from '@paycode/safe-http';
import { DomainError, ParseIdPipe } from '@paycode/service-runtime';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { operatorOrigin } from '../merchants/merchants.controller';
import { NotificationsService } from './notifications.service';
import { SendTestService } from './send-test.service';

/** Body of POST /internal/merchants/{merchantId}/test-notification. */
export class SendTestBody {
  /** The merchant's person who wants the test. */
  @IsOptional()
  @IsString()
  @Length(1, 200)
  @Matches(/^\P{Cc}+$/u, { message: 'askedBy must not contain control characters' })
  @WithoutCardNumber()
  askedBy?: string;
}

/** Operations of the portal for a merchant. */
@Controller('internal/merchants/:merchantId')
export class NotificationOperationsController {
  constructor(
    private readonly notifications: NotificationsService,
    private readonly tests: SendTestService,
  ) {}

  @Delete('notifications/HTTP')
  @HttpCode(204)
  async removeUrl(@Param('merchantId', ParseIdPipe) merchantId: number, @Req() request: FastifyRequest): Promise<void> {
    await this.notifications.removeUrl(merchantId, operatorOrigin(request));
  }

  @Delete('notifications/:type/:value')
  @HttpCode(204)
  async removeRecipient(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Param() { type, value }: { type: string; value: string },
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.notifications.removeRecipient(merchantId, { type: recipientTypeOf(type), value }, operatorOrigin(request));
  }

  @Post('check')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  check(@Param('merchantId', ParseIdPipe) merchantId: number): Promise<{ url: string } & ProbeOutcome> {
    return this.notifications.check(merchantId, 'operator');
  }

  @Post('test-notification')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  sendTest(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() { askedBy }: SendTestBody,
    @Req() request: FastifyRequest,
  ): Promise<TestNotificationResult<ProbeOutcome>> {
    return this.tests.send({ merchantId, caller: 'operator', origin: operatorOrigin(request), askedBy });
  }
}

/** R-7-11. */
function recipientTypeOf(text: string): Channel {
  const type = channels.find(known => known === text);
  if (!type) throw new DomainError({ status: 400, reason: 'RECIPIENT_TYPE', message: validTypesText });
  return type;
}
