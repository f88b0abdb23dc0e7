import { Controller, Get, Header, Param, StreamableFile } from '@nestjs/common';
import { SignedIn } from '../../sessions/http/portal-request';
import type { OpenedSession } from '../../sessions/sessions.ports';
import { ScopePipe } from '../../tenancy/http/scope.pipe';
import { Scope } from '../../tenancy/scope';
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
