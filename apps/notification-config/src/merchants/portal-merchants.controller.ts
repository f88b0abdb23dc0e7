import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  IsId,
  isIdNumber,
  type MerchantIdsRequest,
  type MerchantOwner,
  type MerchantPage,
  type MerchantPageRequest,
  type MerchantSearch,
  type OldKey,
  type PortalMerchantsAnswer,
  type PortalMerchantsRequest,
} from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { IsInt, IsObject, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { MerchantReader } from './merchant-reader';

/** Body of POST /internal/portal/merchants. */
export class PortalMerchantsBody implements PortalMerchantsRequest {
  @IsObject()
  owner!: MerchantSearch;
}

/** Body of POST /internal/portal/merchants/ids. */
export class MerchantIdsBody implements MerchantIdsRequest {
  @IsObject()
  owner!: MerchantOwner;
}

/** Body of POST /internal/portal/merchants/page. */
export class MerchantPageBody extends MerchantIdsBody implements MerchantPageRequest {
  @IsOptional()
  @IsString()
  @Length(0, 100)
  search?: string;

  @IsOptional()
  @IsId()
  after?: number;

  /** A merchant whose id was looked for stands before the names, so a page that may go on has two. */
  @IsInt()
  @Min(2)
  @Max(100)
  limit!: number;
}

type Rules = Readonly<Record<string, (value: unknown) => boolean>>;

const textMax = 100;
const merchantIdsMax = 1_000;
const isText = (value: unknown) => typeof value === 'string' && value.length >= 1 && value.length <= textMax;

const ownerRules: Rules = { merchantId: isIdNumber, pspId: isIdNumber, acquirer: isText, all: value => value === true };
const searchRules: Rules = {
  merchantIds: value => Array.isArray(value) && value.length <= merchantIdsMax && value.every(isIdNumber),
  named: isText,
};

/** @throws DomainError 400 unless the owner is exactly one of these kinds */
function demandOneOf(rules: Rules, owner: object): void {
  const [[kind, value] = ['', null], ...more] = Object.entries(owner) as [string, unknown][];
  const isWellFormed = Object.hasOwn(rules, kind) && rules[kind]!(value) && more.length === 0;
  if (!isWellFormed) throw invalidField('owner', `must be one of ${Object.keys(rules).join(', ')}`);
}

/** Merchants of those whose people look at them in the portal. */
@Controller('internal/portal/merchants')
export class PortalMerchantsController {
  constructor(private readonly merchants: MerchantReader) {}

  @Post()
  @HttpCode(200)
  find(@Body() { owner }: PortalMerchantsBody): Promise<PortalMerchantsAnswer> {
    demandOneOf(searchRules, owner);
    return this.merchants.find(owner);
  }

  /** At most 10,000. */
  @Post('ids')
  @HttpCode(200)
  ids(@Body() { owner }: MerchantIdsBody): Promise<number[]> {
    demandOneOf(ownerRules, owner);
    return this.merchants.ids(owner);
  }

  @Post('page')
  @HttpCode(200)
  page(@Body() wanted: MerchantPageBody): Promise<MerchantPage> {
    demandOneOf(ownerRules, wanted.owner);
    return this.merchants.page(wanted);
  }

  @Get('old-keys')
  oldKeys(): Promise<OldKey[]> {
    return this.merchants.oldKeys();
  }
}
