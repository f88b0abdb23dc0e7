import { Controller, Get, Param, Query } from '@nestjs/common';
import { invalidField } from '@paycode/service-runtime';
import { SignedIn } from '../../sessions';
import { Scope, ScopePipe } from '../../tenancy';
import { cursorOf, pageKeyOf } from '../domain/page-key';
import type { PageKey, Payment } from '../domain/payment';
import { type PaymentFilter, PaymentReader } from '../payments.ports';
import { type ShownPayment, ShowPaymentService } from '../show-payment.service';
import { ListPaymentsQuery } from './payments.dto';

const pageDefault = 25;
const pageMax = 100;

interface Page {
  payments: Payment[];
  /** For `after`; null: this is the last page. */
  next: string | null;
}

@Controller('console/api/payments')
export class PaymentsController {
  constructor(
    private readonly reader: PaymentReader,
    private readonly showPayment: ShowPaymentService,
  ) {}

  @Get()
  async list(@Query() query: ListPaymentsQuery, @SignedIn(ScopePipe) whole: Scope): Promise<Page> {
    const scope = query.merchantId === undefined ? whole : whole.narrowedTo(Number(query.merchantId));
    const filter = filterOf(query);
    // One more than is shown: whether there is a next page.
    const found = await this.reader.list(scope, { ...filter, limit: filter.limit + 1 });
    const payments = found.slice(0, filter.limit);
    const last = payments.at(-1);
    return { payments, next: found.length > filter.limit && last ? cursorOf(last) : null };
  }

  @Get(':transactionId')
  show(@Param('transactionId') text: string, @SignedIn(ScopePipe) scope: Scope): Promise<ShownPayment> {
    const transactionId = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(transactionId)) throw invalidField('transactionId', 'must be a positive integer');
    return this.showPayment.show(scope, transactionId);
  }
}

function filterOf({ search, after, limit, ...given }: ListPaymentsQuery): PaymentFilter {
  const none = { outcome: null, status: null, from: null, to: null };
  const { outcome, status, from, to } = { ...none, ...given };
  const wanted = Number(limit ?? pageDefault);
  return {
    outcome,
    status,
    from,
    to,
    search: search?.trim() ?? null,
    after: afterOf(after),
    limit: Math.min(Math.max(1, wanted), pageMax),
  };
}

function afterOf(cursor: string | undefined): PageKey | null {
  if (cursor === undefined) return null;
  const key = pageKeyOf(cursor);
  if (!key) throw invalidField('after', 'is not the end of a page');
  return key;
}
