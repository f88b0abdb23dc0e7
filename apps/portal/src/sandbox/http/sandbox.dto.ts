import { announcedAfterSMax, type FollowUp, followUps } from '@paycode/dto';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';

export class SandboxCodeBody {
  @IsString()
  @Matches(/^\d{1,15}(\.\d{1,6})?$/, { message: 'amount must be a decimal number such as 25.50' })
  amount!: string;

  @Matches(/^[A-Z]{3}$/, { message: 'currencyCode must be an ISO 4217 code' })
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
