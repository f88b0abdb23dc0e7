import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  announcedAfterSMax,
  currencyCodes,
  type FollowUp,
  followUps,
  type PortalSandboxTransaction,
  type RedeliveryAnswer,
  type Scenario,
  scenarios,
} from '@paycode/dto';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { AskedBy, type Asking, Needs } from '../sessions/portal.guard';
import { type MadeCode, SandboxService } from './sandbox.service';

export class SandboxCodeBody {
  @IsString()
  @Matches(/^(0|[1-9]\d{0,14})(\.\d{1,6})?$/, { message: 'amount must be a decimal number such as 25.50' })
  amount!: string;

  @IsIn(currencyCodes, { message: 'currencyCode must be an ISO 4217 code' })
  currencyCode!: string;
}

export class SandboxPaymentBody {
  @Matches(/^\d{10}$/, { message: 'code must be 10 digits' })
  code!: string;

  /** Terminal TxState. */
  @Matches(/^(SUCCESS|END_[A-Z0-9_]{1,60})$/, {
    message: 'txState must be a terminal TxState, such as SUCCESS or END_BANK_DECLINE',
  })
  txState!: string;

  /** A slow payment core. */
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(announcedAfterSMax)
  announcedAfterS?: number | null;
}

export class SandboxFollowBody {
  @Matches(/^\d{10}$/, { message: 'code must be 10 digits' })
  code!: string;

  @IsIn(followUps)
  followUp!: FollowUp;
}

export class SandboxRedeliveryBody {
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  transactionId!: number;
}

/** Merchants rehearse payments here, in the sandbox. */
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
