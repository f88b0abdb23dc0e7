import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { deadLettersMax, type EndpointPause, type RedeliveryAnswer } from '@paycode/dto';
import { FromDigits, ParseIdPipe } from '@paycode/service-runtime';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import type { RequestReport } from '../four-eyes/four-eyes.service';
import { AskedBy, type Asking, Needs } from '../sessions/portal.guard';
import { CurrentPasswordBody } from '../sign-in/password.service';
import { type LetterService, letterServices } from './domain/dead-letter';
import { portalPause } from './domain/on-call';
import { FindMerchantService, type FoundMerchants, type MerchantSummary } from './find-merchant.service';
import { type FoundTransaction, OnCallService, type Stuck } from './on-call.service';
import {
  type LettersPage,
  type PreviewedLetter,
  type RedrivenLetter,
  RedriveService,
  type RedriveState,
} from './redrive.service';

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

export class LettersQuery {
  /** Of one service alone. */
  @IsOptional()
  @IsIn(letterServices)
  service?: LetterService;

  /** With `service`: letters older than this one. */
  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  before?: number;
}

export class LetterRefBody {
  @IsIn(letterServices)
  service!: LetterService;

  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  letterId!: number;
}

export class LettersBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(deadLettersMax)
  @ValidateNested({ each: true })
  @Type(() => LetterRefBody)
  letters!: LetterRefBody[];
}

export class RedriveRequestBody extends LettersBody {
  /** The person's own password. */
  @IsString()
  @Length(1, 1_000)
  current!: string;
}

export class RedriveConfirmBody extends CurrentPasswordBody {
  @IsUUID()
  requestId!: string;
}

/** Dead letters of every service, for people on call: seen without payload, and redriven, in production by two. */
@Controller('console/api/on-call/dead-letters')
export class DeadLettersController {
  constructor(private readonly redriving: RedriveService) {}

  @Get()
  @Needs('ON_CALL')
  list(@Query() query: LettersQuery, @AskedBy() asking: Asking): Promise<LettersPage> {
    return this.redriving.list(query, asking);
  }

  /** How a redrive is made here, and what waits for a second person. */
  @Get('redrive')
  @Needs('ON_CALL')
  overview(@AskedBy() asking: Asking): Promise<RedriveState> {
    return this.redriving.overview(asking);
  }

  @Post('preview')
  @HttpCode(200)
  @Needs('ON_CALL')
  async preview(@Body() { letters }: LettersBody, @AskedBy() { proof }: Asking): Promise<PreviewedLetter[]> {
    return this.redriving.preview(await this.redriving.find(letters, proof));
  }

  @Post('redrive')
  @HttpCode(200)
  @Needs('ON_CALL')
  redrive(@Body() { letters }: LettersBody, @AskedBy() asking: Asking): Promise<RedrivenLetter[]> {
    return this.redriving.redrive(letters, asking);
  }

  @Post('request')
  @HttpCode(201)
  @Needs('ON_CALL')
  ask(@Body() body: RedriveRequestBody, @AskedBy() asking: Asking): Promise<RequestReport> {
    return this.redriving.ask(body, asking);
  }

  @Post('confirm')
  @HttpCode(200)
  @Needs('ON_CALL')
  confirm(@Body() body: RedriveConfirmBody, @AskedBy() asking: Asking): Promise<RedrivenLetter[]> {
    return this.redriving.confirm(body, asking);
  }
}
