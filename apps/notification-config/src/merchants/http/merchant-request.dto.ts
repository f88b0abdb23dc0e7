import { type EncryptionProfile, type MerchantRecord, WithoutCardNumber } from '@paycode/dto';
import { IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';

/** Names appear in mails and notifications, so they have no line breaks or other control characters (T-25). */
const printable = /^[^\p{Cc}\u2028\u2029]+$/u;

/** Body of PUT /internal/merchants/{merchantId}. */
export class SaveMerchantRequest implements Omit<MerchantRecord, 'merchantId'> {
  @IsString()
  @Length(1, 100)
  @Matches(printable, { message: 'merchantName must not contain control characters' })
  @WithoutCardNumber()
  merchantName!: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(Number.MAX_SAFE_INTEGER)
  pspId: number | null = null;

  @IsString()
  @Length(1, 100)
  @Matches(printable, { message: 'acquirer must not contain control characters' })
  @WithoutCardNumber()
  acquirer!: string;

  @IsIn(['ACTIVE', 'SUSPENDED'])
  status!: MerchantRecord['status'];
}

/** Body of PUT /internal/merchants/{merchantId}/encryption. */
export class SetEncryptionRequest {
  @IsIn(['AES-128-GCM', 'AES-128-CBC-LEGACY'])
  profile!: EncryptionProfile;
}
