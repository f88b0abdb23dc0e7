import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { IdentityGuard } from '@paycode/access';
import { ExactNumber } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { CodeUrls } from '../code-urls';
import { codeStateOf } from '../domain/code';
import { ReadCodesService } from '../read-codes.service';
import { LookupBody } from './code-bodies';

/** The wallet-provider Remote API, version 4 (R-4.2-1, R-9-1): any authenticated account. */
@Controller('pluto/remote/v4')
@UseGuards(IdentityGuard)
export class LookupController {
  constructor(
    private readonly readCodes: ReadCodesService,
    private readonly urls: CodeUrls,
  ) {}

  @Post('lookup')
  @HttpCode(200)
  async lookup(@Body() { value }: LookupBody): Promise<object> {
    const { code, merchant } = await this.readCodes.ofAnybody(this.urls.codeIn(value));
    if (codeStateOf(code, Date.now()) !== 'LIVE')
      throw new DomainError({ status: 404, reason: 'CODE_NOT_LIVE', message: 'Not Found' });
    return {
      code: code.code,
      merchantId: merchant.merchantId,
      merchantName: merchant.merchantName,
      amount: new ExactNumber(code.amount),
      currencyCode: code.currencyCode,
      shortDescription: code.shortDescription,
      requestTip: code.requestTip,
      requestContact: code.requestContact,
      expiryDate: code.expiresAtMs ?? 0,
    };
  }
}
