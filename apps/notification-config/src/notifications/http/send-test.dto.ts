import { WithoutCardNumber } from '@paycode/dto';
import { IsOptional, IsString, Length, Matches } from 'class-validator';

/** Body of POST /internal/merchants/{merchantId}/test-notification. */
export class SendTestBody {
  /** The merchant's person who wants the test. */
  @IsOptional()
  @IsString()
  @Length(1, 200)
  @Matches(/^\P{Cc}+$/u, { message: 'askedBy must not contain control characters' })
  @WithoutCardNumber()
  askedBy?: string;
}
