import { IsIn, IsISO8601, IsNumberString, IsOptional, IsString, Length, Matches } from 'class-validator';
import { type Answer, answers, type Outcome, outcomes } from '../domain/payment';

const idText = /^[1-9]\d{0,15}$/;

export class MerchantQuery {
  @IsOptional()
  @Matches(idText, { message: 'merchantId must be a positive integer' })
  merchantId?: string;
}

/** What a person looks for. */
export class PaymentsQuery extends MerchantQuery {
  /** Transaction id, reference or code, as a whole. */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  search?: string;

  @IsOptional()
  @IsIn(outcomes)
  outcome?: Outcome;

  @IsOptional()
  @Matches(/^[A-Z0-9_]{1,64}$/, { message: 'status must be a status' })
  status?: string;

  @IsOptional()
  @IsIn(answers)
  answer?: Answer;

  /** Exactly this one. */
  @IsOptional()
  @Matches(/^\d{1,15}(\.\d{1,3})?$/, { message: 'amount must be a decimal with a point, such as 25.50' })
  amount?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  from?: string;

  @IsOptional()
  @IsISO8601({ strict: true })
  to?: string;
}

export class ExportPaymentsQuery extends PaymentsQuery {
  /** Where a page ended: what is behind it, older payments. */
  @IsOptional()
  @IsString()
  @Length(1, 100)
  after?: string;
}

export class ListPaymentsQuery extends ExportPaymentsQuery {
  /** Where a page began: the one before it, of newer payments. */
  @IsOptional()
  @IsString()
  @Length(1, 100)
  before?: string;

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
