import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { type ActingPerson, OfPerson } from '@paycode/access';
import {
  announcedAfterSMax,
  currencyCodes,
  type FollowUp,
  followUps,
  type Identity,
  IsId,
  type PortalAnswer,
  type PortalSandboxCode,
  type PortalSandboxRequest,
  type PortalSandboxTransaction,
  WithoutCardNumber,
} from '@paycode/dto';
import { answered } from '@paycode/service-runtime';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import { PortalSandboxService } from './portal-sandbox.service';

/** Body of POST /internal/portal/sandbox/{operation}. */
export class SandboxBody implements PortalSandboxRequest {
  @IsId()
  merchantId!: number;
}

export class SandboxCodeBody extends SandboxBody {
  /** Exact decimal as digits; its currency's rules are checked where it is used, in words for people. */
  @IsString()
  @MaxLength(32)
  amount!: string;

  @IsIn(currencyCodes, { message: 'currencyCode must be an ISO 4217 code' })
  currencyCode!: string;

  @IsString()
  @Length(1, 45)
  @WithoutCardNumber('reference')
  merchantReference!: string;

  @IsOptional()
  @IsString()
  @MaxLength(45)
  @WithoutCardNumber()
  shortDescription?: string | null;

  @IsOptional()
  @IsInt()
  @Min(0)
  expiryDate?: number;

  @IsOptional()
  @IsBoolean()
  useOnce?: boolean;

  @IsOptional()
  @IsBoolean()
  requestTip?: boolean;
}

export class SandboxPaymentBody extends SandboxBody {
  @IsString()
  @MaxLength(32)
  code!: string;

  /** Terminal TxState. */
  @Matches(/^(SUCCESS|END_[A-Z0-9_]{1,60})$/, { message: 'txState must be a terminal TxState' })
  txState!: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(announcedAfterSMax)
  announcedAfterS?: number | null;
}

export class SandboxFollowBody extends SandboxBody {
  @IsString()
  @MaxLength(32)
  code!: string;

  @IsIn(followUps)
  followUp!: FollowUp;
}

/** People of a merchant rehearse payments in the portal. A payment core has no such path. */
@Controller('internal/portal/sandbox')
export class PortalSandboxController {
  constructor(private readonly sandbox: PortalSandboxService) {}

  @Post('make-code')
  @HttpCode(200)
  makeCode(@Body() body: SandboxCodeBody, @OfPerson() person: ActingPerson): Promise<PortalAnswer<PortalSandboxCode>> {
    return answered(() => this.sandbox.makeCode(callerOf(body, person), body));
  }

  @Post('pay')
  @HttpCode(200)
  pay(@Body() body: SandboxPaymentBody, @OfPerson() person: ActingPerson): Promise<PortalAnswer<PortalSandboxTransaction>> {
    return answered(() => {
      const { code, txState, announcedAfterS } = body;
      return this.sandbox.pay(callerOf(body, person), { code, txState, announcedAfterS: announcedAfterS ?? 0 });
    });
  }

  @Post('follow')
  @HttpCode(200)
  follow(@Body() body: SandboxFollowBody, @OfPerson() person: ActingPerson): Promise<PortalAnswer<PortalSandboxTransaction>> {
    return answered(() => this.sandbox.follow(callerOf(body, person), body));
  }
}

/** The merchant itself: its codes are open to this call, and no other's. */
function callerOf({ merchantId }: SandboxBody, { actor }: ActingPerson): Identity {
  return { subject: `portal ${actor}`, accountType: 'MERCHANT', ownerId: merchantId, acquirer: null, roles: ['EXTERNAL'] };
}
