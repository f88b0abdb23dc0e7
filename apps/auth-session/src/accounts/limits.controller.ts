import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { IsInt, Max, Min, ValidateIf } from 'class-validator';
import { InternalOrigin } from '../audit/request-origin';
import type { Origin } from '../audit/security-log';
import { AccountsService } from './accounts.service';
import type { Account } from './domain/account';

export class LimitBody {
  /** Requests per second at each gateway, twice as many at once; null sets the default of the gateways. */
  @ValidateIf((body: LimitBody) => body.perSecond !== null)
  @IsInt()
  @Min(1)
  @Max(10_000)
  perSecond!: number | null;
}

interface LimitView {
  username: string;
  /** `default`: CREDENTIAL_RATE_PER_S of the gateways, which this service does not know. */
  perSecond: number | 'default';
}

/** Limits of single accounts in requests per second, in place of the default. */
@Controller('internal/limits')
export class LimitsController {
  constructor(private readonly accounts: AccountsService) {}

  /** Accounts with a limit of their own. */
  @Get()
  async list(): Promise<LimitView[]> {
    return (await this.accounts.limited()).map(limitOf);
  }

  @Get(':username')
  async show(@Param('username') username: string): Promise<LimitView> {
    return limitOf(await this.accounts.find(username));
  }

  @Put(':username')
  async set(@Param('username') username: string, @Body() body: LimitBody, @InternalOrigin() origin: Origin): Promise<LimitView> {
    return limitOf(await this.accounts.limitRate(username, body.perSecond, origin));
  }
}

function limitOf({ username, ratePerS }: Account): LimitView {
  return { username, perSecond: ratePerS ?? 'default' };
}
