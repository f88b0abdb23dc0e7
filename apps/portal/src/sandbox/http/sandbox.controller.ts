import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { type PortalSandboxTransaction, type RedeliveryAnswer, type Scenario, scenarios } from '@paycode/dto';
import { AskedBy, type Asking, Needs } from '../../sessions/http/portal-request';
import { type MadeCode, SandboxService } from '../sandbox.service';
import { SandboxCodeBody, SandboxFollowBody, SandboxPaymentBody, SandboxRedeliveryBody } from './sandbox.dto';

/** What a merchant rehearses in the sandbox. */
@Controller('console/api/sandbox')
export class SandboxController {
  constructor(private readonly sandbox: SandboxService) {}

  /** Also those that `paycode-dev trigger` plays. */
  @Get('scenarios')
  scenarios(): readonly Scenario[] {
    return scenarios;
  }

  @Post('codes')
  @HttpCode(200)
  @Needs('TEST')
  makeCode(@Body() body: SandboxCodeBody, @AskedBy() asking: Asking): Promise<MadeCode> {
    return this.sandbox.makeCode(body, asking);
  }

  @Post('payments')
  @HttpCode(200)
  @Needs('TEST')
  pay(@Body() body: SandboxPaymentBody, @AskedBy() asking: Asking): Promise<PortalSandboxTransaction> {
    return this.sandbox.pay(body, asking);
  }

  @Post('follow-ups')
  @HttpCode(200)
  @Needs('TEST')
  follow(@Body() body: SandboxFollowBody, @AskedBy() asking: Asking): Promise<PortalSandboxTransaction> {
    return this.sandbox.follow(body, asking);
  }

  @Post('repeats')
  @HttpCode(200)
  @Needs('TEST')
  repeat(@Body() { transactionId }: SandboxRedeliveryBody, @AskedBy() asking: Asking): Promise<RedeliveryAnswer> {
    return this.sandbox.repeat(transactionId, asking);
  }
}
