import { Controller, Get, Query, type StreamableFile } from '@nestjs/common';
import { IsIn, IsISO8601, IsOptional, IsString, Length, Matches } from 'class-validator';
import { type DecimalMark, decimalMarks } from '../files/domain/csv';
import { answerOf, type FileFormat, fileFormats, fileOf } from '../files/file';
import { MerchantQuery } from '../payments/payments.controller';
import type { OpenedSession } from '../sessions/domain/session';
import { SignedIn } from '../sessions/portal.guard';
import { Scope, ScopePipe } from '../tenancy/scope';
import { periodForm, statementColumns } from './domain/statement';
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
  /** CSV without it. */
  @IsOptional()
  @IsIn(fileFormats)
  format?: FileFormat;

  /** Of the reader's spreadsheet: it also decides what separates the columns of CSV. */
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

  /** The lines as CSV or XLSX. */
  @Get('file')
  async file(
    @Query() { format = 'CSV', decimalMark, ...query }: StatementFileQuery,
    @SignedIn(ScopePipe) whole: Scope,
    @SignedIn() { person }: OpenedSession,
  ): Promise<StreamableFile> {
    const { lines } = await this.statements.of(whole.askedFor(query), query, person.personId);
    const { period, timeZone } = query;
    const file = fileOf([lines], { columns: statementColumns, title: 'Statement', format, timeZone, decimalMark });
    return answerOf(file, `statement-${period}`, format);
  }
}
