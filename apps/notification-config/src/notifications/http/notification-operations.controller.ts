import { Body, Controller, Delete, Header, HttpCode, Param, Post, Req } from '@nestjs/common';
import { type Channel, channels, type TestNotificationResult, validTypesText } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { ProbeOutcome } from '@paycode/safe-http';
import type { FastifyRequest } from 'fastify';
import { MerchantIdPipe, operatorOrigin } from '../../merchants';
import { CheckUrlService } from '../check-url.service';
import { RemoveNotificationService } from '../remove-notification.service';
import { SendTestService } from '../send-test.service';
import { SendTestBody } from './send-test.dto';

/** Operations of the portal for a merchant. */
@Controller('internal/merchants/:merchantId')
export class NotificationOperationsController {
  constructor(
    private readonly removals: RemoveNotificationService,
    private readonly checks: CheckUrlService,
    private readonly tests: SendTestService,
  ) {}

  @Delete('notifications/HTTP')
  @HttpCode(204)
  async removeUrl(@Param('merchantId', MerchantIdPipe) merchantId: number, @Req() request: FastifyRequest): Promise<void> {
    await this.removals.removeUrl(merchantId, operatorOrigin(request));
  }

  @Delete('notifications/:type/:value')
  @HttpCode(204)
  async removeRecipient(
    @Param('merchantId', MerchantIdPipe) merchantId: number,
    @Param() { type, value }: { type: string; value: string },
    @Req() request: FastifyRequest,
  ): Promise<void> {
    await this.removals.removeRecipient(merchantId, { type: recipientTypeOf(type), value }, operatorOrigin(request));
  }

  @Post('check')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  check(@Param('merchantId', MerchantIdPipe) merchantId: number): Promise<{ url: string } & ProbeOutcome> {
    return this.checks.check(merchantId, 'operator');
  }

  @Post('test-notification')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  sendTest(
    @Param('merchantId', MerchantIdPipe) merchantId: number,
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
