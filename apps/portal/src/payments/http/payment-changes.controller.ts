import { Controller, Get, Header, Param, StreamableFile } from '@nestjs/common';
import { type OpenedSession, SignedIn } from '../../sessions';
import { Scope, ScopePipe } from '../../tenancy';
import { FollowPaymentsService } from '../follow-payments.service';
import { transactionIdOf } from './transaction-id';

/** Server-sent events: tells a page that its payment changed. What it became, the page reads itself. */
@Controller('console/api/payments/:transactionId/changes')
export class PaymentChangesController {
  constructor(private readonly watching: FollowPaymentsService) {}

  @Get()
  // For proxies that collect an answer before they pass it on.
  @Header('x-accel-buffering', 'no')
  async changes(
    @Param('transactionId') text: string,
    @SignedIn(ScopePipe) scope: Scope,
    @SignedIn() opened: OpenedSession,
  ): Promise<StreamableFile> {
    const stream = await this.watching.watch(scope, transactionIdOf(text), opened);
    return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
  }
}
