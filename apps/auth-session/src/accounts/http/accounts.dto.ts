import { type AccountType, accountTypes } from '@paycode/dto';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateIf,
} from 'class-validator';

export class CreateAccountBody {
  @IsIn(accountTypes)
  type!: AccountType;

  /** managerId, merchantId or pspId. */
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  id?: number | null;

  /** STK and ACQUIRER: the name support assigns. */
  @IsOptional()
  @IsString()
  username?: string | null;

  /** ACQUIRER: the acquirer whose merchants it manages. */
  @IsOptional()
  @IsString()
  @MaxLength(128)
  acquirer?: string | null;
}

export class PublicKeyBody {
  /** Base64 of the X.509 RSA-4096 public key. May be left out to change only `challengeRequired`. */
  @ValidateIf((body: PublicKeyBody) => (body.publicKey ?? null) !== null || (body.challengeRequired ?? null) === null)
  @IsString()
  publicKey?: string | null;

  /** Whether login without a challenge is refused from now on. */
  @IsOptional()
  @IsBoolean()
  challengeRequired?: boolean | null;
}

export class SourceAddressesBody {
  /** IP addresses and CIDR ranges; an empty list permits every address. */
  @IsArray()
  @ArrayMaxSize(32)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  sourceAddresses!: string[];
}
