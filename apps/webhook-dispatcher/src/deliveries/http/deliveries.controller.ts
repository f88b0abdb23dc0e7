import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { InternalCallers } from '@paycode/access';
import type { CloseAnswer, DeliveryTimeline } from '@paycode/dto';
import { QueueFullError } from '@paycode/persistence';
import { DomainError } from '@paycode/service-runtime';
import { CloseDeliveries } from '../close-deliveries.service';
import { ShowDelivery } from '../show-delivery.service';
import { readCloseItems, readTransactionId } from './batch-body';

@Controller('internal/deliveries')
export class DeliveriesController {
  constructor(
    private readonly closeDeliveries: CloseDeliveries,
    private readonly showDelivery: ShowDelivery,
  ) {}

  /** Asked by due timers and by the audit: only its answer lets a payment be reversed. */
  @Post('close')
  @HttpCode(200)
  @InternalCallers('reversal-scheduler', 'operator')
  async close(@Body() body: unknown): Promise<CloseAnswer[]> {
    try {
      return await this.closeDeliveries.close(readCloseItems(body));
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw new DomainError({ status: 503, code: error.code, message: 'too much work is waiting', cause: error });
    }
  }

  /** What happened to a delivery, for people. */
  @Get(':transactionId')
  @InternalCallers('operator')
  async show(@Param('transactionId') transactionId: string): Promise<DeliveryTimeline> {
    const timeline = await this.showDelivery.show(readTransactionId(transactionId));
    if (!timeline) throw new DomainError({ status: 404, code: 'NO_DELIVERY', message: 'Not Found' });
    return timeline;
  }
}
