import { Body, Controller, HttpCode, Post, UseGuards } from '@nestjs/common';
import { IdentityGuard } from '@paycode/access';
import { ExactNumber } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { IsString, Length, Matches } from 'class-validator';
import { CodesService, CodeUrls } from './codes.service';
import { codeStateOf } from './domain/code';

/** Body of the Remote API's lookup. */
export class LookupBody {
  /** The code that the wallet scanned. */
  @IsString()
  @Length(1, 2_048)
  value!: string;

  @Matches(/^\+?[1-9]\d{6,14}$/, { message: 'msisdn must be a number in international format' })
  msisdn!: string;
}

/** The wallet-provider Remote API, version 4 (R-4.2-1, R-9-1): any authenticated account. */
@Controller('pluto/remote/v4')
@UseGuards(IdentityGuard)
export class LookupController {
  constructor(
    private readonly codes: CodesService,
    private readonly urls: CodeUrls,
  ) {}

  @Post('lookup')
  @HttpCode(200)
  async lookup(@Body() { value }: LookupBody): Promise<object> {
    const { code, merchant } = await this.codes.ofAnybody(this.urls.codeIn(value));
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
