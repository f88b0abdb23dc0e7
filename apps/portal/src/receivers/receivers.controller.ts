import { Controller, Get, Param, Query } from '@nestjs/common';
import { IsInstantText, ParseIdPipe } from '@paycode/service-runtime';
import type { MerchantPeople } from '../people/domain/person';
import { SignedIn } from '../sessions/portal.guard';
import { Scope, ScopePipe } from '../tenancy/scope';
import { type Receivers, ReceiversService } from './receivers.service';

export class ReceiversQuery {
  /** Where the reader's day began. */
  @IsInstantText()
  dayBeganAt!: string;
}

@Controller('console/api')
export class ReceiversController {
  constructor(private readonly receivers: ReceiversService) {}

  /** Merchants whose servers did not acknowledge payments today, at most 50: first those that fail now, the most money first. */
  @Get('home/receivers')
  list(@Query() { dayBeganAt }: ReceiversQuery, @SignedIn(ScopePipe) scope: Scope): Promise<Receivers> {
    return this.receivers.failing(scope, dayBeganAt);
  }

  /** How many people of its own the merchant has. */
  @Get('merchants/:merchantId/people')
  people(@Param('merchantId', ParseIdPipe) merchantId: number, @SignedIn(ScopePipe) scope: Scope): Promise<MerchantPeople> {
    return this.receivers.people(scope, merchantId);
  }
}
