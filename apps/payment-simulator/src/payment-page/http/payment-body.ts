import { WithoutCardNumber } from '@paycode/dto';
import { Type } from 'class-transformer';
import { IsIn, IsNumber, IsObject, IsOptional, IsString, Matches, MaxLength, ValidateNested } from 'class-validator';
import { countryCodes } from '../../transactions';
import { type Outcome, outcomeStates } from '../page/outcomes';

const text = 255;
const notBlank = /\S/;

/** Contact data that a person gives to the merchant, all of it or none. */
export class ContactBody {
  @IsString()
  @MaxLength(text)
  @Matches(notBlank, { message: '$property must not be blank' })
  @WithoutCardNumber()
  firstName!: string;

  @IsString()
  @MaxLength(text)
  @Matches(notBlank, { message: '$property must not be blank' })
  @WithoutCardNumber()
  lastName!: string;

  @IsString()
  @MaxLength(text)
  @Matches(notBlank, { message: '$property must not be blank' })
  @WithoutCardNumber()
  emailAddress!: string;

  @IsString()
  @MaxLength(text)
  @Matches(notBlank, { message: '$property must not be blank' })
  @WithoutCardNumber()
  phoneNumber!: string;

  @IsIn(countryCodes, { message: 'country must be an ISO 3166-1 alpha-2 code' })
  country!: string;
}

/** Body that the payment page sends. */
export class PaymentBody {
  @IsIn(outcomeStates)
  outcome!: Outcome;

  @Matches(/^\+?[1-9]\d{6,14}$/, { message: 'clientMsisdn must be a number in international format' })
  @WithoutCardNumber()
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
