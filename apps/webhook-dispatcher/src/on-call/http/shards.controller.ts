import { Controller, Get } from '@nestjs/common';
import type { ShardOwners } from '@paycode/dto';
import { ShowDelivery } from '../show-delivery';

@Controller('internal/shards')
export class ShardsController {
  constructor(private readonly showDelivery: ShowDelivery) {}

  /** Which replica works on the deliveries of how many shards, and which shards nobody owns. */
  @Get()
  show(): Promise<ShardOwners> {
    return this.showDelivery.shards();
  }
}
