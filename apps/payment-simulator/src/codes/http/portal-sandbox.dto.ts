import { announcedAfterSMax, type FollowUp, followUps, type PortalSandboxRequest, WithoutCardNumber } from '@paycode/dto';
import { IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import { currencyCodes } from '../../transactions';

/** Body of POST /internal/portal/sandbox/{operation}. */
export class SandboxBody implements PortalSandboxRequest {
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  merchantId!: number;

  /** The person who asks. */
  @IsString()
  @Length(1, 200)
  actor!: string;
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
  @WithoutCardNumber()
  merchantReference!: string;
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
