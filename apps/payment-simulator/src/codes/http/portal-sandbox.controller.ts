import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { Identity, PortalAnswer, PortalSandboxCode, PortalSandboxTransaction } from '@paycode/dto';
import { answered } from '@paycode/service-runtime';
import { PortalSandboxService } from '../portal-sandbox.service';
import { SandboxCodeBody, SandboxFollowBody, SandboxPaymentBody, type SandboxBody } from './portal-sandbox.dto';

/** What people of a merchant rehearse in the portal. The portal has checked whose merchant it is. A payment core has no such path. */
@Controller('internal/portal/sandbox')
export class PortalSandboxController {
  constructor(private readonly sandbox: PortalSandboxService) {}

  @Post('make-code')
  @HttpCode(200)
  makeCode(@Body() body: SandboxCodeBody): Promise<PortalAnswer<PortalSandboxCode>> {
    return answered(() => this.sandbox.makeCode(callerOf(body), body));
  }

  @Post('pay')
  @HttpCode(200)
  pay(@Body() body: SandboxPaymentBody): Promise<PortalAnswer<PortalSandboxTransaction>> {
    return answered(() => {
      const { code, txState, announcedAfterS } = body;
      return this.sandbox.pay(callerOf(body), { code, txState, announcedAfterS: announcedAfterS ?? 0 });
    });
  }

  @Post('follow')
  @HttpCode(200)
  follow(@Body() body: SandboxFollowBody): Promise<PortalAnswer<PortalSandboxTransaction>> {
    return answered(() => this.sandbox.follow(callerOf(body), body));
  }
}

/** The merchant itself: its codes are open to this call, and no other's. */
function callerOf({ merchantId, actor }: SandboxBody): Identity {
  return { subject: `portal ${actor}`, accountType: 'MERCHANT', ownerId: merchantId, acquirer: null, roles: ['EXTERNAL'] };
}
