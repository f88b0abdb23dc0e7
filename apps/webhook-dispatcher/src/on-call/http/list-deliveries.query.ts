import { IsIdText } from '@paycode/dto';
import { IsIn, IsOptional, Matches } from 'class-validator';

/** Query of GET /internal/deliveries; values of a query are text. */
export class ListDeliveriesQuery {
  @IsOptional()
  @IsIn(['open', 'oldest', 'recent'])
  state?: 'open' | 'oldest' | 'recent';

  @IsOptional()
  @IsIdText()
  merchantId?: string;

  @IsOptional()
  @Matches(/^([1-9]\d{0,2}|1000)$/, { message: 'limit must be an integer from 1 to 1000' })
  limit?: string;
}
