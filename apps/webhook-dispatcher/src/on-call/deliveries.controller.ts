import { Body, Controller, Get, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { orElsewhere } from '@paycode/access';
import {
  type CloseAnswer,
  type CloseItem,
  type DeliverySummary,
  type DeliveryTimeline,
  idRule,
  isIdNumber,
  IsIdText,
  type RedeliveryAnswer,
  type ShardOwners,
} from '@paycode/dto';
import { whenNotFull } from '@paycode/persistence';
import { DomainError, invalidField, ParseIdPipe } from '@paycode/service-runtime';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { CloseInCells } from '../cells/close-in-cells';
import { CellMembership, type CellRequest } from '../cells/follow-cells.job';
import { RedeliverInformational } from '../informational/repeat-informational';
import { ShowDelivery } from './show-delivery';

const itemsMax = 1_000;

/** Query of GET /internal/deliveries; values of a query are text. */
export class ListDeliveriesQuery {
  @IsOptional()
  @IsIn(['open', 'oldest', 'recent'])
  state?: 'open' | 'oldest' | 'recent';

  @IsOptional()
  @IsIdText()
  merchantId?: string;

  @IsOptional()
  @Matches(/^([1-9]\d{0,2}|1000)$/, { message: 'limit must be an integer from 1 to 1000' })
  limit?: string;
}

@Controller('internal/deliveries')
export class DeliveriesController {
  constructor(
    private readonly closeDeliveries: CloseInCells,
    private readonly showDelivery: ShowDelivery,
    private readonly redeliverNotice: RedeliverInformational,
    private readonly cells: CellMembership,
  ) {}

  /** The scheduler's due timers and its audit call this; only the answer CLOSED lets the scheduler reverse a payment. */
  @Post('close')
  @HttpCode(200)
  close(@Body() body: unknown, @Req() { internalCaller }: CellRequest): Promise<CloseAnswer[]> {
    const isRelayed = internalCaller === this.cells.others?.service;
    return whenNotFull(this.closeDeliveries.close(readCloseItems(body), isRelayed));
  }

  /** Open deliveries, newest or oldest first, or the latest ones. */
  @Get()
  list(@Query() query: ListDeliveriesQuery): Promise<DeliverySummary[]> {
    const merchantId = query.merchantId === undefined ? null : Number(query.merchantId);
    return this.showDelivery.list({ state: query.state ?? 'open', merchantId, limit: Number(query.limit ?? 50) });
  }

  /** Tries an informational delivery once more. */
  @Post(':transactionId/redeliver')
  @HttpCode(202)
  redeliver(@Param('transactionId', ParseIdPipe) transactionId: number, @Req() request: CellRequest): Promise<RedeliveryAnswer> {
    return orElsewhere(() => this.redeliverNotice.redeliver(transactionId), { transactionId, request }, this.cells.others);
  }

  /** Shows the timeline of a delivery to an operator. */
  @Get(':transactionId')
  show(@Param('transactionId', ParseIdPipe) transactionId: number, @Req() request: CellRequest): Promise<DeliveryTimeline> {
    return orElsewhere(() => this.showHere(transactionId), { transactionId, request }, this.cells.others);
  }

  private async showHere(transactionId: number): Promise<DeliveryTimeline> {
    const timeline = await this.showDelivery.show(transactionId);
    if (!timeline) throw new DomainError({ status: 404, reason: 'NO_DELIVERY', message: 'Not Found' });
    return timeline;
  }
}

@Controller('internal/shards')
export class ShardsController {
  constructor(private readonly showDelivery: ShowDelivery) {}

  /** Which replica works on the deliveries of how many shards, and which shards nobody owns. */
  @Get()
  show(): Promise<ShardOwners> {
    return this.showDelivery.shards();
  }
}

/**
 * Reads the body of `close` in one pass. It is hand-written for speed, because it runs for every due timer. @throws
 * DomainError 400, 413
 */
function readCloseItems(body: unknown): CloseItem[] {
  if (!Array.isArray(body)) throw invalidField('body', 'must be an array');
  if (body.length > itemsMax)
    throw new DomainError({ status: 413, reason: 'BATCH_TOO_LARGE', message: `at most ${itemsMax} items` });
  return body.map((item: unknown, at) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) throw invalidField(`[${at}]`, 'must be an object');
    const { transactionId, merchantId } = item as Partial<CloseItem>;
    return {
      transactionId: readId(transactionId, `[${at}].transactionId`),
      merchantId: readId(merchantId, `[${at}].merchantId`),
    };
  });
}

function readId(value: unknown, field: string): number {
  if (!isIdNumber(value)) throw invalidField(field, idRule);
  return value;
}
