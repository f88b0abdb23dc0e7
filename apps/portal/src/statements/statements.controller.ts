import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { IsIn, IsISO8601, IsString, Length, Matches } from 'class-validator';
import { MerchantQuery } from '../payments/payments.controller';
import type { OpenedSession } from '../sessions/domain/session';
import { SignedIn } from '../sessions/portal.guard';
import { Scope, ScopePipe } from '../tenancy/scope';
import { type DecimalMark, decimalMarks, periodForm, statementFile } from './domain/statement';
import { type Statement, StatementsService } from './statements.service';

export class StatementQuery extends MerchantQuery {
  @IsISO8601({ strict: true }, { message: 'period must be a day of the calendar' })
  @Matches(periodForm, { message: 'period must be a day such as 2026-11-03, a month such as 2026-11, or a year such as 2026' })
  period!: string;

  /** Whose days they are, such as `Africa/Johannesburg`. */
  @IsString()
  @Length(1, 64)
  timeZone!: string;
}

export class StatementFileQuery extends StatementQuery {
  /** Of the reader's spreadsheet: it also decides what separates the columns. */
  @IsIn(decimalMarks)
  decimalMark!: DecimalMark;
}

/** Daily and monthly sums for an accountant. */
@Controller('console/api/statements')
export class StatementsController {
  constructor(private readonly statements: StatementsService) {}

  @Get()
  show(
    @Query() query: StatementQuery,
    @SignedIn(ScopePipe) whole: Scope,
    @SignedIn() { person }: OpenedSession,
  ): Promise<Statement> {
    return this.statements.of(whole.askedFor(query), query, person.personId);
  }

  /** The lines as CSV. */
  @Get('file')
  async file(
    @Query() query: StatementFileQuery,
    @SignedIn(ScopePipe) whole: Scope,
    @SignedIn() { person }: OpenedSession,
  ): Promise<StreamableFile> {
    const { lines } = await this.statements.of(whole.askedFor(query), query, person.personId);
    return new StreamableFile(Buffer.from(statementFile(lines, query.decimalMark)), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: `attachment; filename="statement-${query.period}.csv"`,
    });
  }
}
