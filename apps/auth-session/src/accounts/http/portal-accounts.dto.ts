import type { PortalAccountRequest } from '@paycode/dto';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';

/** Body of POST /internal/portal/accounts/{operation}. What people type is checked where it is used, in words for them. */
export class PortalAccountBody implements PortalAccountRequest {
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

  /** Base64 of the X.509 RSA-4096 public key; may contain line breaks. */
  @IsOptional()
  @IsString()
  @Length(1, 8_192)
  publicKey?: string;
}
