import { Controller, Get, Param, Query } from '@nestjs/common';
import type { MerchantPage, MerchantRecord } from '@paycode/dto';
import { FromDigits, ParseIdPipe } from '@paycode/service-runtime';
import { IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { SignedIn } from '../sessions/portal.guard';
import { MerchantDirectory } from './merchant.directory';
import { notYours, Scope, ScopePipe } from './scope';

export class MerchantsQuery {
  /** How a name begins, upper and lower case alike, or a whole id. */
  @IsOptional()
  @IsString()
  @Length(1, 100)
  search?: string;

  /** The merchant with which the page before ended. */
  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  after?: number;

  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(2)
  @Max(100)
  limit?: number;
}

export interface ListedMerchants extends MerchantPage {
  /** Merchants of the tenant, whatever is looked for, at most 10,000; null: all of the platform. */
  count: number | null;
}

const pageDefault = 20;

@Controller('console/api/merchants')
export class MerchantsController {
  constructor(private readonly directory: MerchantDirectory) {}

  /** By name, and first the one whose id was looked for. */
  @Get()
  async list(@Query() { limit, ...wanted }: MerchantsQuery, @SignedIn(ScopePipe) scope: Scope): Promise<ListedMerchants> {
    const page = await this.directory.page({ owner: scope.owner, ...wanted, limit: limit ?? pageDefault });
    return { ...page, count: scope.merchantIds === 'ALL' ? null : scope.merchantIds.length };
  }

  @Get(':merchantId')
  async show(@Param('merchantId', ParseIdPipe) merchantId: number, @SignedIn(ScopePipe) scope: Scope): Promise<MerchantRecord> {
    scope.narrowedTo(merchantId);
    const found = await this.directory.find(merchantId);
    if (!found) throw notYours();
    return found;
  }
}
