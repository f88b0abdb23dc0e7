import { Controller, Get, Param, Query, StreamableFile } from '@nestjs/common';
import { invalidField } from '@paycode/service-runtime';
import { AskedBy, type Asking, SignedIn } from '../../sessions/http/portal-request';
import { ScopePipe } from '../../tenancy/http/scope.pipe';
import { Scope } from '../../tenancy/scope';
import { cursorOf } from '../domain/page-key';
import type { Payment } from '../domain/payment';
import { ExportPaymentsService } from '../export-payments.service';
import { type PaymentFilter, PaymentReader } from '../payments.ports';
import { type ShownPayment, ShowPaymentService } from '../show-payment.service';
import { ExportPaymentsQuery, ListPaymentsQuery, type MerchantQuery } from './payments.dto';
import { keyOf, soughtIn } from './sought';
import { transactionIdOf } from './transaction-id';

const pageDefault = 25;
const pageMax = 100;

interface Page {
  payments: Payment[];
  /** For `after`: older payments; null: there are none. */
  next: string | null;
  /** For `before`: newer payments; null: there are none. */
  previous: string | null;
}

@Controller('console/api/payments')
export class PaymentsController {
  constructor(
    private readonly reader: PaymentReader,
    private readonly showPayment: ShowPaymentService,
    private readonly exportPayments: ExportPaymentsService,
  ) {}

  @Get()
  async list(@Query() query: ListPaymentsQuery, @SignedIn(ScopePipe) whole: Scope): Promise<Page> {
    const scope = scopeFor(query, whole);
    const filter = filterOf(query);
    // One more than is shown: whether there is a page beyond.
    const found = await this.reader.list(scope, { ...filter, limit: filter.limit + 1 });
    return pageOf(found, filter);
  }

  /** A file of what is looked for, newest first, at most 100,000 rows. */
  @Get('export')
  async export(
    @Query() query: ExportPaymentsQuery,
    @SignedIn(ScopePipe) whole: Scope,
    @AskedBy() asking: Asking,
  ): Promise<StreamableFile> {
    const file = await this.exportPayments.begin(scopeFor(query, whole), soughtIn(query), asking);
    const name = `payments-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}Z.csv`;
    return new StreamableFile(file, {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: `attachment; filename="${name}"`,
    });
  }

  @Get(':transactionId')
  show(@Param('transactionId') text: string, @SignedIn(ScopePipe) scope: Scope): Promise<ShownPayment> {
    return this.showPayment.show(scope, transactionIdOf(text));
  }
}

function scopeFor({ merchantId }: MerchantQuery, whole: Scope): Scope {
  return merchantId === undefined ? whole : whole.narrowedTo(Number(merchantId));
}

function pageOf(found: Payment[], { limit, after, before }: PaymentFilter): Page {
  const hasMore = found.length > limit;
  const payments = before ? found.slice(-limit) : found.slice(0, limit);
  const [first, last] = [payments.at(0), payments.at(-1)];
  if (!first || !last) return { payments, next: null, previous: null };
  const [hasOlder, hasNewer] = before ? [true, hasMore] : [hasMore, after !== null];
  return { payments, next: hasOlder ? cursorOf(last) : null, previous: hasNewer ? cursorOf(first) : null };
}

function filterOf({ before, limit, ...query }: ListPaymentsQuery): PaymentFilter {
  if (query.after !== undefined && before !== undefined) throw invalidField('before', 'must not stand beside after');
  return {
    ...soughtIn(query),
    before: keyOf('before', before),
    limit: Math.min(Math.max(1, Number(limit ?? pageDefault)), pageMax),
  };
}
