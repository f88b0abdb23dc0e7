import { type FollowUp, followUps, WithoutCardNumber } from '@paycode/dto';
import { IsBoolean, IsIn, IsInt, IsNumber, IsOptional, IsString, Length, Matches, Max, MaxLength, Min } from 'class-validator';
import { currencyCodes } from '../../transactions';

const idMax = Number.MAX_SAFE_INTEGER;
/** The last instant a Date can be (ECMA-262, time values). */
const instantMaxMs = 8_640_000_000_000_000;

/** Body of createCode. */
export class CreateCodeBody {
  /** Required for a PSP; a merchant may leave it out. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(idMax)
  merchantId?: number;

  @IsString()
  @Length(1, 45)
  @WithoutCardNumber()
  merchantReference!: string;

  /** Its exact digits are read from the body as received. */
  @IsNumber()
  amount!: number;

  @IsIn(currencyCodes, { message: 'currencyCode must be an ISO 4217 code' })
  currencyCode!: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(instantMaxMs)
  expiryDate?: number;

  @IsOptional()
  @IsBoolean()
  useOnce?: boolean;

  @IsOptional()
  @IsString()
  @MaxLength(45)
  @WithoutCardNumber()
  shortDescription?: string;

  @IsOptional()
  @IsBoolean()
  requestTip?: boolean;

  @IsOptional()
  @IsBoolean()
  requestContact?: boolean;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  @WithoutCardNumber()
  extraReferenceName?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
  @WithoutCardNumber()
  extraReferenceValue?: string;
}

/** Body of queryRef. */
export class QueryReferenceBody {
  @Matches(/^\d{10}$/, { message: 'code must be 10 digits' })
  code!: string;

  @IsString()
  @Length(1, 45)
  merchantReference!: string;
}

/** Body of a simulation (sandbox). */
export class SimulationBody {
  @IsIn(followUps)
  event!: FollowUp;
}

/** Body of the Remote API's lookup. */
export class LookupBody {
  /** What the wallet scanned: a code. */
  @IsString()
  @Length(1, 2_048)
  value!: string;

  @Matches(/^\+?[1-9]\d{6,14}$/, { message: 'msisdn must be a number in international format' })
  msisdn!: string;
}
