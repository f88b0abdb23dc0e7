import { Injectable } from '@nestjs/common';
import { ReversalScheduler } from '../arming';
import { HandshakeGate, WebhookPoster, WebhookSealer } from '../posting';
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
