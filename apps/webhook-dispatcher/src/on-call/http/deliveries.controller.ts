import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import type { CloseAnswer, DeliverySummary, DeliveryTimeline, RedeliveryAnswer } from '@paycode/dto';
import { QueueFullError } from '@paycode/persistence';
import { DomainError, ParseIdPipe } from '@paycode/service-runtime';
import { RedeliverInformational } from '../../informational';
import { CloseDeliveries } from '../../verdicts';
import { ShowDelivery } from '../show-delivery';
import { readCloseItems } from './batch-body';
import { ListDeliveriesQuery } from './list-deliveries.query';

@Controller('internal/deliveries')
export class DeliveriesController {
  constructor(
    private readonly closeDeliveries: CloseDeliveries,
    private readonly showDelivery: ShowDelivery,
    private readonly redeliverNotice: RedeliverInformational,
  ) {}

  /** The scheduler's due timers and its audit call this; only the answer CLOSED lets the scheduler reverse a payment. */
  @Post('close')
  @HttpCode(200)
  async close(@Body() body: unknown): Promise<CloseAnswer[]> {
    try {
      return await this.closeDeliveries.close(readCloseItems(body));
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw new DomainError({ status: 503, reason: error.code, message: 'too much work is waiting', cause: error });
    }
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
  redeliver(@Param('transactionId', ParseIdPipe) transactionId: number): Promise<RedeliveryAnswer> {
    return this.redeliverNotice.redeliver(transactionId);
  }

  /** Shows the timeline of a delivery to an operator. */
  @Get(':transactionId')
  async show(@Param('transactionId', ParseIdPipe) transactionId: number): Promise<DeliveryTimeline> {
    const timeline = await this.showDelivery.show(transactionId);
    if (!timeline) throw new DomainError({ status: 404, reason: 'NO_DELIVERY', message: 'Not Found' });
    return timeline;
  }
}
