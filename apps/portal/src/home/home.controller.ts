import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { IsInstantText, LOGGER, type Logger, ParseIdPipe } from '@paycode/service-runtime';
import { IsIn, IsOptional } from 'class-validator';
import { orSilent } from '../neighbours';
import { lastAnswer } from '../payments/domain/explanation';
import { PaymentCalls } from '../payments/payment-calls';
import type { Sum } from '../payments/payment-reader';
import { MerchantQuery } from '../payments/payments.controller';
import type { MerchantPeople } from '../people/domain/person';
import { AskedBy, type Asking, SignedIn } from '../sessions/portal.guard';
import { Scope, ScopePipe } from '../tenancy/scope';
import { type Bucket, HomeReader, type Lost } from './home-reader';
import { type Receivers, ReceiversService } from './receivers.service';

export class ReceiversQuery {
  /** Where the reader's day began. */
  @IsInstantText()
  dayBeganAt!: string;
}

export class HomeQuery extends MerchantQuery {
  /** Where the reader's day began. */
  @IsInstantText()
  dayBeganAt!: string;

  @IsOptional()
  @IsIn(['24h', '7d'])
  range?: '24h' | '7d';
}

const hourS = 3_600;
const ranges = { '24h': { hours: 24, bucketS: hourS }, '7d': { hours: 168, bucketS: 6 * hourS } } as const;
const dayMs = 24 * hourS * 1_000;
/** A day that began longer ago than any time zone allows is not today. */
const dayMsMax = 27 * hourS * 1_000;

interface HomeAnswer {
  today: Sum[];
  /** Of yesterday until the same time of day. */
  yesterday: Sum[];
  chart: { since: string; bucketS: number; buckets: Bucket[] };
  /** Reversed payments since the day began, and at least of the last hour. */
  lost: Lost[];
  /** Of one merchant: what its server answered to the newest payment that another status than 200 lost, as `HTTP 503`; null: none, or nobody knows. */
  lastStatus: string | null;
  /** Of one merchant: until when its deliveries wait because people on call paused them; null: they do not, or nobody knows. */
  pausedUntil: string | null;
}

/** Today's money, and how the receiver answers. */
@Controller('console/api/home')
export class HomeController {
  constructor(
    private readonly reader: HomeReader,
    private readonly calls: PaymentCalls,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Get()
  async show(@Query() query: HomeQuery, @SignedIn(ScopePipe) whole: Scope, @AskedBy() { proof }: Asking): Promise<HomeAnswer> {
    const scope = whole.askedFor(query);
    const nowMs = Date.now();
    const { hours, bucketS } = ranges[query.range ?? '24h'];
    const bucketMs = bucketS * 1_000;
    const since = new Date(Math.floor(nowMs / bucketMs) * bucketMs - hours * hourS * 1_000 + bucketMs).toISOString();
    const dayBeganAt = new Date(Math.max(Date.parse(query.dayBeganAt), nowMs - dayMsMax)).toISOString();
    const dayBefore = (ms: number) => new Date(ms - dayMs).toISOString();
    const asked = this.reader.lost(scope, new Date(Math.min(Date.parse(dayBeganAt), nowMs - hourS * 1_000)).toISOString());
    const [today, yesterday, buckets, lost, lastStatus, pausedUntil] = await Promise.all([
      this.reader.sums(scope, dayBeganAt),
      this.reader.sums(scope, dayBefore(Date.parse(dayBeganAt)), dayBefore(nowMs)),
      this.reader.answers(scope, since, bucketS),
      asked,
      query.merchantId === undefined ? null : asked.then(rows => this.lastStatus(rows)),
      query.merchantId === undefined ? null : this.orNothing(this.calls.pausedUntil(Number(query.merchantId), proof)),
    ]);
    return { today, yesterday, chart: { since, bucketS, buckets }, lost, lastStatus, pausedUntil };
  }

  private async lastStatus(lost: readonly Lost[]): Promise<string | null> {
    const ids = lost.filter(({ answer }) => answer === 'NON_200').map(({ transactionId }) => transactionId);
    if (ids.length === 0) return null;
    const delivery = await this.orNothing(this.calls.delivery(Math.max(...ids)));
    return lastAnswer(delivery?.attempts) ?? null;
  }

  /** Home is shown without it when the dispatcher does not answer. */
  private orNothing<T>(asked: Promise<T>): Promise<T | null> {
    return orSilent(asked, { name: 'dispatcher', silent: [], log: this.log });
  }
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
