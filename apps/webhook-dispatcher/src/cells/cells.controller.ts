import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  type CellRanges,
  type EndRangeAnswer,
  type EndRangeRequest,
  IsCellName,
  IsId,
  IsOffset,
  IsPartition,
  IsStep,
  type KnownAnswer,
  type KnownRequest,
} from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import { UnreadEventsError } from './former-cells';
import { OwnRanges, WrongCellError } from './own-ranges';
import { StaleMoveError } from './partition-range';

/** Body of POST /internal/cells/end. */
export class EndRangeBody implements EndRangeRequest {
  @IsCellName()
  cell!: string;

  @IsPartition()
  partition!: number;

  @IsStep()
  step!: number;
}

/** Body of POST /internal/cells/known. */
export class KnownBody implements KnownRequest {
  @IsOptional()
  @IsCellName()
  cell?: string;

  @IsPartition()
  partition!: number;

  @IsOffset()
  below!: number;

  @IsArray()
  @ArrayMaxSize(1_000)
  @IsId({ each: true })
  transactionIds!: number[];
}

/** The ranges of this cell, for `paycode cells` and for later cells. */
@Controller('internal/cells')
export class CellsController {
  constructor(private readonly ranges: OwnRanges) {}

  @Get('ranges')
  show(): Promise<CellRanges> {
    return this.ranges.show();
  }

  @Post('end')
  @HttpCode(200)
  end(@Body() body: EndRangeBody): Promise<EndRangeAnswer> {
    return refusing(async () => ({ offset: await this.ranges.end(body) }));
  }

  @Post('known')
  @HttpCode(200)
  known(@Body() body: KnownBody): Promise<KnownAnswer> {
    return refusing(() => this.ranges.known(body));
  }
}

async function refusing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { message } = cause as Error;
    if (cause instanceof StaleMoveError) throw new DomainError({ status: 409, reason: 'STALE_MOVE', message, cause });
    if (cause instanceof WrongCellError) throw new DomainError({ status: 409, reason: 'WRONG_CELL', message, cause });
    if (!(cause instanceof UnreadEventsError)) throw cause;
    throw new DomainError({ status: 503, reason: 'UNREAD_EVENTS', message, headers: { 'retry-after': '1' }, cause });
  }
}
