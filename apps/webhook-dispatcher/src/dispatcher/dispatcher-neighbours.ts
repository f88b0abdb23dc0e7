import { Injectable } from '@nestjs/common';
import { ReversalScheduler } from '../arming/reversal-scheduler.client';
import { HandshakeGate } from '../posting/handshake-gate';
import { WebhookPoster } from '../posting/post-webhook';
import { WebhookSealer } from '../posting/webhook-sealer';
import { RouteSource } from '../routes/route-source.client';

/** The ports of a dispatcher to other services and to receivers. */
@Injectable()
export class DispatcherNeighbours {
  constructor(
    readonly scheduler: ReversalScheduler,
    readonly routes: RouteSource,
    readonly sealer: WebhookSealer,
    readonly poster: WebhookPoster,
    readonly gate: HandshakeGate,
  ) {}
}
