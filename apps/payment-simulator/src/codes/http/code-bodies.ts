import {
  IsBoolean,
  IsInt,
  IsISO4217CurrencyCode,
  IsNumber,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';

const idMax = Number.MAX_SAFE_INTEGER;
// No control characters: the text is printed on pages, e-mails and receipts.
const printable = /^[^\p{Cc}]*$/u;

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
  @Matches(printable, { message: 'merchantReference must have no control characters' })
  merchantReference!: string;

  /** Its exact digits are read from the body as it came. */
  @IsNumber()
  amount!: number;

  @IsISO4217CurrencyCode()
  currencyCode!: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  expiryDate?: number;

  @IsOptional()
  @IsBoolean()
  useOnce?: boolean;

  @IsOptional()
  @IsString()
  @MaxLength(45)
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
  extraReferenceName?: string;

  @IsOptional()
  @IsString()
  @MaxLength(255)
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

/** Body of the Remote API's lookup. */
export class LookupBody {
  /** What the wallet scanned: a code. */
  @IsString()
  @Length(1, 2_048)
  value!: string;

  @Matches(/^\+?[1-9]\d{6,14}$/, { message: 'msisdn must be a number in international format' })
  msisdn!: string;
}
