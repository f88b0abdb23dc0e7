import { WithoutCardNumber } from '@paycode/dto';
import { Type } from 'class-transformer';
import { IsIn, IsNumber, IsObject, IsOptional, IsString, Matches, MaxLength, ValidateNested } from 'class-validator';
import { type Outcome, outcomeStates } from '../page/outcomes';

const text = 255;

/** Contact data that a person may give to the merchant. */
export class ContactBody {
  @IsString()
  @MaxLength(text)
  @WithoutCardNumber()
  firstName!: string;

  @IsString()
  @MaxLength(text)
  @WithoutCardNumber()
  lastName!: string;

  @IsString()
  @MaxLength(text)
  @WithoutCardNumber()
  emailAddress!: string;

  @IsString()
  @MaxLength(text)
  @WithoutCardNumber()
  phoneNumber!: string;

  @IsString()
  @MaxLength(text)
  @WithoutCardNumber()
  country!: string;
}

/** Body that the payment page sends. */
export class PaymentBody {
  @IsIn(outcomeStates)
  outcome!: Outcome;

  @Matches(/^\+?[1-9]\d{6,14}$/, { message: 'clientMsisdn must be a number in international format' })
  clientMsisdn!: string;

  /** Its exact digits are read from the body as received. */
  @IsOptional()
  @IsNumber()
  tipAmount?: number;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ContactBody)
  clientContact?: ContactBody;
}
