import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { EndpointPause, RedeliveryAnswer } from '@paycode/dto';
import { ParseIdPipe } from '@paycode/service-runtime';
import { IsInt, IsString, Length, Max, Min } from 'class-validator';
import { AskedBy, type Asking, Needs } from '../sessions/portal.guard';
import { portalPause } from './domain/on-call';
import { FindMerchantService, type FoundMerchants, type MerchantSummary } from './find-merchant.service';
import { type FoundTransaction, OnCallService, type Stuck } from './on-call.service';

class PauseBody {
  @IsInt()
  @Min(1)
  @Max(60)
  minutes!: number;

  @IsString()
  @Length(3, 200)
  reason!: string;
}

class MerchantsQuery {
  /** Merchant id, or a part of a name. */
  @IsString()
  @Length(1, 100)
  search!: string;
}

/** For people on call and administrators of the platform: each route needs their permission, which no role of a tenant has. */
@Controller('console/api/on-call')
export class OnCallController {
  constructor(
    private readonly onCall: OnCallService,
    private readonly findMerchant: FindMerchantService,
  ) {}

  @Get('stuck')
  @Needs('ON_CALL')
  stuck(@AskedBy() asking: Asking): Promise<Stuck> {
    return this.onCall.stuck(asking);
  }

  @Get('transactions/:transactionId')
  @Needs('ON_CALL')
  find(@Param('transactionId', ParseIdPipe) transactionId: number, @AskedBy() asking: Asking): Promise<FoundTransaction> {
    return this.onCall.find(transactionId, asking);
  }

  @Post('transactions/:transactionId/redeliver')
  @HttpCode(202)
  @Needs('ON_CALL')
  redeliver(@Param('transactionId', ParseIdPipe) transactionId: number, @AskedBy() asking: Asking): Promise<RedeliveryAnswer> {
    return this.onCall.redeliver(transactionId, asking);
  }

  /** Merchants and the accounts of their programs are read here, never changed. */
  @Get('merchants')
  @Needs('ON_CALL')
  merchants(@Query() { search }: MerchantsQuery): Promise<FoundMerchants> {
    return this.findMerchant.search(search);
  }

  @Get('merchants/:merchantId')
  @Needs('ON_CALL')
  merchant(@Param('merchantId', ParseIdPipe) merchantId: number, @AskedBy() asking: Asking): Promise<MerchantSummary> {
    return this.findMerchant.show(merchantId, asking);
  }

  @Post('merchants/:merchantId/pause')
  @Needs('ON_CALL')
  async pause(
    @Param('merchantId', ParseIdPipe) merchantId: number,
    @Body() { minutes, reason }: PauseBody,
    @AskedBy() asking: Asking,
  ): Promise<EndpointPause> {
    return portalPause(await this.onCall.pause({ merchantId, minutes, reason: reason.trim() }, asking));
  }

  @Post('pauses/:pauseId/end')
  @HttpCode(200)
  @Needs('ON_CALL')
  async resume(@Param('pauseId', ParseIdPipe) pauseId: number, @AskedBy() asking: Asking): Promise<EndpointPause> {
    return portalPause(await this.onCall.resume(pauseId, asking));
  }
}
