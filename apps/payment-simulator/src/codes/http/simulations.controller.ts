import { Body, Controller, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { CallerIdentity, IdentityGuard } from '@paycode/access';
import type { Identity } from '@paycode/dto';
import { type SimulatedTransaction, SimulateEventService } from '../simulate-event.service';
import { SimulationBody } from './code-bodies';

/** Lets a merchant see in the sandbox what otherwise only the core does to a payment. A payment core has no such path. */
@Controller('pluto/code')
@UseGuards(IdentityGuard)
export class SimulationsController {
  constructor(private readonly simulateEvent: SimulateEventService) {}

  @Post(':code/simulations')
  @HttpCode(200)
  simulate(
    @CallerIdentity() caller: Identity,
    @Param('code') code: string,
    @Body() { event }: SimulationBody,
  ): Promise<SimulatedTransaction> {
    return this.simulateEvent.simulate(caller, { code, event });
  }
}
