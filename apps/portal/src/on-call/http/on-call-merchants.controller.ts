import { Controller, Get, Param, Query } from '@nestjs/common';
import { invalidField } from '@paycode/service-runtime';
import { IsString, Length } from 'class-validator';
import { AskedBy, type Asking, Needs } from '../../sessions/http/portal-request';
import { FindMerchantService, type MerchantPage, type MerchantSummary } from '../find-merchant.service';

class MerchantsQuery {
  /** Merchant id, or a part of a name. */
  @IsString()
  @Length(1, 100)
  search!: string;
}

/** Merchants and the accounts of their programs, for people on call: read, never changed. */
@Controller('console/api/on-call/merchants')
export class OnCallMerchantsController {
  constructor(private readonly merchants: FindMerchantService) {}

  @Get()
  @Needs('ON_CALL')
  search(@Query() { search }: MerchantsQuery): Promise<MerchantPage> {
    return this.merchants.search(search);
  }

  @Get(':merchantId')
  @Needs('ON_CALL')
  show(@Param('merchantId') text: string, @AskedBy() asking: Asking): Promise<MerchantSummary> {
    const merchantId = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(merchantId)) throw invalidField('merchantId', 'must be a positive integer');
    return this.merchants.show(merchantId, asking);
  }
}
