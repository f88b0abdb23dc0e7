import type { PortalAccountRequest } from '@paycode/dto';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';

/** Whose account the portal asks about, and for whom. */
export class TenantBody implements PortalAccountRequest {
  @IsIn(['MERCHANT', 'PSP'])
  type!: 'MERCHANT' | 'PSP';

  /** merchantId or pspId. */
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  ownerId!: number;

  /** The person who asks, for the security log. */
  @IsString()
  @Length(1, 200)
  actor!: string;
}

/** Body of POST /internal/portal/accounts/{operation}. What people type is checked where it is used, in words for them. */
export class PortalAccountBody extends TenantBody {
  /** Base64 of the X.509 RSA-4096 public key; may contain line breaks. */
  @IsOptional()
  @IsString()
  @Length(1, 8_192)
  publicKey?: string;

  /** Random text of the trial, chosen by who signs. */
  @IsOptional()
  @Matches(/^[A-Za-z0-9_-]{16,64}$/, { message: 'nonce must be 16 to 64 letters and digits' })
  nonce?: string;

  /** Base64; may contain line breaks. */
  @IsOptional()
  @IsString()
  @Length(1, 2_048)
  signature?: string;

  @IsOptional()
  @IsBoolean()
  challengeRequired?: boolean;

  /** IP addresses and CIDR ranges; an empty list permits every address. */
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(32)
  @IsString({ each: true })
  @MaxLength(64, { each: true })
  sourceAddresses?: string[];
}
