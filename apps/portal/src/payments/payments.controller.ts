import { Controller, Get, Header, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { IsIdText, type PortalFetchedNotification, type PortalShownNotification } from '@paycode/dto';
import { FromDigits, invalidField, IsInstantText, ParseIdPipe } from '@paycode/service-runtime';
import { IsIn, IsInt, IsOptional, IsString, IsTimeZone, Length, Matches, Max, Min } from 'class-validator';
import { answerOf, type FileFormat, fileFormats } from '../files/file';
import { type PageKey, pageKeyOf } from '../page-cursor';
import type { OpenedSession } from '../sessions/domain/session';
import { AskedBy, type Asking, Needs, SignedIn } from '../sessions/portal.guard';
import { Scope, ScopedPipe, ScopePipe } from '../tenancy/scope';
import { type Answer, answers, type WantedOutcome, wantedOutcomes } from './domain/payment';
import { type ExportFilter, ExportPaymentsService } from './export-payments.service';
import { FollowPaymentsService } from './follow-payments.service';
import {
  type AskedFilter,
  type NotificationCaller,
  type PaymentPage,
  PaymentsService,
  type PaymentTotals,
  ReadNotificationService,
  type ShownPayment,
} from './payments.service';

export class MerchantQuery {
  @IsOptional()
  @IsIdText()
  merchantId?: string;
}

/** Filter of the list. */
export class PaymentsQuery extends MerchantQuery {
  /** How a transaction id, reference or code begins, upper and lower case alike. */
  @IsOptional()
  @IsString()
  @Length(1, 64)
  search?: string;

  @IsOptional()
  @IsIn(wantedOutcomes)
  outcome?: WantedOutcome;

  @IsOptional()
  @Matches(/^[A-Z0-9_]{1,64}$/, { message: 'status must be a status' })
  status?: string;

  @IsOptional()
  @IsIn(answers)
  answer?: Answer;

  /** Exactly this one. */
  @IsOptional()
  @Matches(/^\d{1,15}(\.\d{1,6})?$/, { message: 'amount must be a decimal with a point, such as 25.50' })
  amount?: string;

  @IsOptional()
  @IsInstantText()
  from?: string;

  @IsOptional()
  @IsInstantText()
  to?: string;
}

export class ExportPaymentsQuery extends PaymentsQuery {
  /** Where a page ended: what is behind it, older payments. */
  @IsOptional()
  @IsString()
  @Length(1, 100)
  after?: string;
}

export class PaymentsFileQuery extends ExportPaymentsQuery {
  /** CSV without it. */
  @IsOptional()
  @IsIn(fileFormats)
  format?: FileFormat;

  /** Whose clock the times in XLSX are of, such as `Africa/Johannesburg`; UTC without it. */
  @IsOptional()
  @IsTimeZone()
  timeZone?: string;
}

export class ListPaymentsQuery extends ExportPaymentsQuery {
  /** Where a page began: the one before it, of newer payments. */
  @IsOptional()
  @IsString()
  @Length(1, 100)
  before?: string;

  @IsOptional()
  @FromDigits()
  @IsInt()
  @Min(1)
  @Max(100)
  limit?: number;
}

const pageDefault = 25;

@Controller('console/api/payments')
export class PaymentsController {
  constructor(
    private readonly payments: PaymentsService,
    private readonly exportPayments: ExportPaymentsService,
    private readonly followPayments: FollowPaymentsService,
    private readonly notifications: ReadNotificationService,
  ) {}

  @Get()
  list(@Query() query: ListPaymentsQuery, @SignedIn(ScopePipe) whole: Scope): Promise<PaymentPage> {
    return this.payments.list(whole.askedFor(query), filterOf(query));
  }

  /** Counts and sums of what is looked for, by outcome and currency. */
  @Get('totals')
  totals(@Query() query: PaymentsQuery, @SignedIn(ScopePipe) whole: Scope): Promise<PaymentTotals> {
    return this.payments.totals(whole.askedFor(query), filterOf(query));
  }

  /** A file of what is looked for with its reversals and refunds, newest first, at most 100,000 rows. */
  @Get('export')
  async export(
    @Query() { format = 'CSV', timeZone = 'UTC', ...query }: PaymentsFileQuery,
    @SignedIn(ScopePipe) whole: Scope,
    @AskedBy() asking: Asking,
  ): Promise<StreamableFile> {
    const wanted = { ...filterIn(query), format, timeZone };
    const file = await this.exportPayments.begin(whole.askedFor(query), wanted, asking);
    return answerOf(file, `payments-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}Z`, format);
  }

  @Get(':transactionId')
  show(@Param('transactionId', ParseIdPipe) transactionId: number, @SignedIn(ScopePipe) scope: Scope): Promise<ShownPayment> {
    return this.payments.show(scope, transactionId);
  }

  /** Server-sent events: tells a page that its payment changed. The page then reads the payment. */
  @Get(':transactionId/changes')
  // For proxies that collect an answer before they pass it on.
  @Header('x-accel-buffering', 'no')
  async changes(
    @Param('transactionId', ParseIdPipe) transactionId: number,
    @SignedIn(ScopePipe) scope: Scope,
    @SignedIn() opened: OpenedSession,
  ): Promise<StreamableFile> {
    const stream = await this.followPayments.watch(scope, transactionId, opened);
    return new StreamableFile(stream, { type: 'text/event-stream; charset=utf-8' });
  }

  /** The notification of one payment. By POST, as the fetch below: a link alone shows nobody's data and settles nothing. */
  @Post(':transactionId/notification/show')
  @HttpCode(200)
  @Needs('NOTIFICATION')
  showNotification(
    @Param('transactionId', ParseIdPipe) transactionId: number,
    @AskedBy(ScopedPipe) asking: NotificationCaller,
  ): Promise<PortalShownNotification> {
    return this.notifications.show(transactionId, asking);
  }

  @Post(':transactionId/notification/fetch')
  @HttpCode(200)
  @Needs('NOTIFICATION')
  fetchNotification(
    @Param('transactionId', ParseIdPipe) transactionId: number,
    @AskedBy(ScopedPipe) asking: NotificationCaller,
  ): Promise<PortalFetchedNotification> {
    return this.notifications.fetch(transactionId, asking);
  }
}

function filterOf({ before, limit, ...query }: ListPaymentsQuery): AskedFilter {
  if (query.after !== undefined && before !== undefined) throw invalidField('before', 'must not stand beside after');
  return {
    ...filterIn(query),
    before: keyOf('before', before),
    limit: limit ?? pageDefault,
  };
}

const nothing = { outcome: null, status: null, answer: null, amount: null, from: null, to: null };

/** Filter of a query, and the position in the list at which it starts. @throws DomainError 400 */
function filterIn({ search, merchantId: _, after, ...given }: ExportPaymentsQuery): ExportFilter {
  return { ...nothing, ...given, search: search?.trim() ?? null, after: keyOf('after', after) };
}

/** @throws DomainError 400 */
function keyOf(field: string, cursor: string | undefined): PageKey | null {
  if (cursor === undefined) return null;
  const key = pageKeyOf(cursor);
  if (!key) throw invalidField(field, 'is not the end of a page');
  return key;
}
