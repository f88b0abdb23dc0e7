import { Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import type { RedeliveryAnswer } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { AskedBy, type Asking, Needs } from '../../sessions/http/portal-request';
import { Dashboards } from '../dashboards';
import { type FoundTransaction, OnCallService, type Stuck } from '../on-call.service';

interface TransactionPage extends FoundTransaction {
  /** Its traces and log lines in Grafana; null: no Grafana is set, or nobody knows the transaction. */
  dashboard: string | null;
}

/** For people on call and administrators of the platform: each route needs their permission, which no role of a tenant has. */
@Controller('console/api/on-call')
export class OnCallController {
  constructor(
    private readonly onCall: OnCallService,
    private readonly dashboards: Dashboards,
  ) {}

  @Get('stuck')
  @Needs('ON_CALL')
  stuck(): Promise<Stuck> {
    return this.onCall.stuck();
  }

  @Get('transactions/:transactionId')
  @Needs('ON_CALL')
  async find(@Param('transactionId') text: string, @AskedBy() asking: Asking): Promise<TransactionPage> {
    const found = await this.onCall.find(transactionIdOf(text), asking);
    return { ...found, dashboard: this.dashboards.linkOf(found) };
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
