import { IsIn, IsISO8601, IsNumberString, IsOptional, IsString, Length, Matches } from 'class-validator';
import { type Outcome, outcomes } from '../domain/payment';

const idText = /^[1-9]\d{0,15}$/;

export class MerchantQuery {
  @IsOptional()
  @Matches(idText, { message: 'merchantId must be a positive integer' })
  merchantId?: string;
}

export class ListPaymentsQuery extends MerchantQuery {
  @IsOptional()
  @IsString()
  @Length(1, 64)
  search?: string;

  @IsOptional()
  @IsIn(outcomes)
  outcome?: Outcome;

  @IsOptional()
  @Matches(/^[A-Z_]{1,64}$/, { message: 'status must be a status' })
  status?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  from?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  to?: string;

  @IsOptional()
  @IsString()
  @Length(1, 100)
  after?: string;

  @IsOptional()
  @IsNumberString({ no_symbols: true })
  @Length(1, 3)
  limit?: string;
}

export class HomeQuery extends MerchantQuery {
  /** Where the reader's day began. */
  @IsISO8601({ strict: true })
  dayBeganAt!: string;

  @IsOptional()
  @IsIn(['24h', '7d'])
  range?: '24h' | '7d';
}
