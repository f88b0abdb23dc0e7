import type { PortalAccountRequest } from '@paycode/dto';
import { IsIn, IsInt, IsOptional, IsString, IsUUID, Length, Max, Min } from 'class-validator';

/** Body of the portal's calls about the sessions of an account. */
export class PortalSessionsBody implements PortalAccountRequest {
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

  @IsOptional()
  @IsUUID()
  sessionId?: string;
}
