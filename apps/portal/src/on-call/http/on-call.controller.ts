import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { RedeliveryAnswer } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { AskedBy, type Asking, Needs } from '../../sessions';
import { type FoundTransaction, OnCallService, type Stuck } from '../on-call.service';

/** For people on call and administrators of the platform: each route needs their permission, which no role of a tenant has. */
@Controller('console/api/on-call')
export class OnCallController {
  constructor(private readonly onCall: OnCallService) {}

  @Get('stuck')
  @Needs('ON_CALL')
  stuck(): Promise<Stuck> {
    return this.onCall.stuck();
  }

  @Get('transactions/:transactionId')
  @Needs('ON_CALL')
  find(@Param('transactionId') text: string, @AskedBy() asking: Asking): Promise<FoundTransaction> {
    return this.onCall.find(transactionIdOf(text), asking);
  }

  @Post('transactions/:transactionId/redeliver')
  @HttpCode(202)
  @Needs('ON_CALL')
  redeliver(@Param('transactionId') text: string, @AskedBy() asking: Asking): Promise<RedeliveryAnswer> {
    return this.onCall.redeliver(transactionIdOf(text), asking);
  }
}

/** @throws DomainError 400 */
function transactionIdOf(text: string): number {
  const transactionId = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(transactionId)) throw invalidField('transactionId', 'must be a positive integer');
  return transactionId;
}
