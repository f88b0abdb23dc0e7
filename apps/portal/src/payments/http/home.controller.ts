import { Controller, Get, Inject, Query } from '@nestjs/common';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { SignedIn } from '../../sessions/http/portal-request';
import { ScopePipe } from '../../tenancy/http/scope.pipe';
import { Scope } from '../../tenancy/scope';
import { type Answered, type Bucket, PaymentReader, PaymentWitness, type Sum } from '../payments.ports';
import { HomeQuery } from './payments.dto';

const hourS = 3_600;
const ranges = { '24h': { hours: 24, bucketS: hourS }, '7d': { hours: 168, bucketS: 6 * hourS } } as const;
/** A day that began longer ago than any time zone allows is not today. */
const dayMsMax = 27 * hourS * 1_000;

interface HomeAnswer {
  today: Sum[];
  chart: { since: string; bucketS: number; buckets: Bucket[] };
  lastHour: Answered;
  /** Of one merchant: until when its deliveries wait because people on call paused them; null: they do not, or nobody knows. */
  pausedUntil: string | null;
}

/** Today's money, and how the receiver answers. */
@Controller('console/api/home')
export class HomeController {
  constructor(
    private readonly reader: PaymentReader,
    private readonly witness: PaymentWitness,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  @Get()
  async show(@Query() query: HomeQuery, @SignedIn(ScopePipe) whole: Scope): Promise<HomeAnswer> {
    const scope = query.merchantId === undefined ? whole : whole.narrowedTo(Number(query.merchantId));
    const nowMs = Date.now();
    const { hours, bucketS } = ranges[query.range ?? '24h'];
    const bucketMs = bucketS * 1_000;
    const since = new Date(Math.floor(nowMs / bucketMs) * bucketMs - hours * hourS * 1_000 + bucketMs).toISOString();
    const dayBeganAt = new Date(Math.max(Date.parse(query.dayBeganAt), nowMs - dayMsMax)).toISOString();
    const [today, buckets, lastHour, pausedUntil] = await Promise.all([
      this.reader.sums(scope, dayBeganAt),
      this.reader.answers(scope, since, bucketS),
      this.reader.answeredSince(scope, new Date(nowMs - hourS * 1_000).toISOString()),
      query.merchantId === undefined ? null : this.pausedUntil(Number(query.merchantId)),
    ]);
    return { today, chart: { since, bucketS, buckets }, lastHour, pausedUntil };
  }

  /** Home is shown without it when the dispatcher does not answer. */
  private async pausedUntil(merchantId: number): Promise<string | null> {
    try {
      return await this.witness.pausedUntil(merchantId);
    } catch (error) {
      this.log.warn(
        { event: 'witness-silent', source: 'dispatcher', err: error },
        'Home does not know whether deliveries are paused',
      );
      return null;
    }
  }
}
