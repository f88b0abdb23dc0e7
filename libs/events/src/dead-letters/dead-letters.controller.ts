import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { type DeadLetterPage, deadLettersMax, type DeadLetterSummary, IsId, type RedriveAnswer } from '@paycode/dto';
import { FromDigits } from '@paycode/service-runtime';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsInt, IsOptional, Max, Min } from 'class-validator';
import { DeadLettersService } from './dead-letters.service';

export class DeadLettersQuery {
  /** Letters older than this one. */
  @IsOptional()
  @FromDigits()
  @IsId()
  before: number = Number.MAX_SAFE_INTEGER;

  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(deadLettersMax)
  limit: number = deadLettersMax;
}

export class DeadLetterIdsBody {
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(deadLettersMax)
  @IsId({ each: true })
  letterIds!: number[];
}

/** Dead letters of this service's own consumer groups, for people on call. */
@Controller('internal/dead-letters')
export class DeadLettersController {
  constructor(private readonly letters: DeadLettersService) {}

  /** One page, the latest first, without payloads. */
  @Get()
  list(@Query() { before, limit }: DeadLettersQuery): Promise<DeadLetterPage> {
    return this.letters.list(before, limit);
  }

  /** Those of these that are still kept. */
  @Post('find')
  @HttpCode(200)
  find(@Body() { letterIds }: DeadLetterIdsBody): Promise<DeadLetterSummary[]> {
    return this.letters.find(letterIds);
  }

  /** Gives each to its group again; no other group sees it. Repeating it changes nothing. */
  @Post('redrive')
  @HttpCode(200)
  redrive(@Body() { letterIds }: DeadLetterIdsBody): Promise<RedriveAnswer[]> {
    return this.letters.redrive(letterIds);
  }
}
