import { Injectable } from '@nestjs/common';
import { ShardStore } from '@paycode/ownership';
import { DeliveryStore } from '../deliveries/deliveries.ports';
import { InformationalStore } from '../informational/informational.store';
import { PauseStore } from '../pausing/pause.store';
import { VerdictStore } from '../verdicts/verdict.store';

/** The ports of a dispatcher to its own database. */
@Injectable()
export class DispatcherStores {
  constructor(
    readonly shards: ShardStore,
    readonly deliveries: DeliveryStore,
    readonly verdicts: VerdictStore,
    readonly informational: InformationalStore,
    readonly pauses: PauseStore,
  ) {}
}
