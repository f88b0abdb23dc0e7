import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { IsIn, IsString, Length } from 'class-validator';
import type { OpenedSession } from '../sessions/domain/session';
import { SignedIn } from '../sessions/portal.guard';
import { mailedEvery } from './domain/mailed-period';
import { MailedStatementsService, type StatementMails, type WantedMails } from './mailed-statements.service';

export class StatementMailsBody implements WantedMails {
  @IsIn(['NEVER', ...mailedEvery])
  every!: WantedMails['every'];

  @IsString()
  @Length(1, 64)
  timeZone!: string;
}

/** The statements that a person is mailed: all of its account. */
@Controller('console/api/statements/mails')
export class MailedStatementsController {
  constructor(private readonly statements: MailedStatementsService) {}

  @Get()
  show(@SignedIn() { person }: OpenedSession): Promise<StatementMails> {
    return this.statements.choice(person.personId);
  }

  @Post()
  @HttpCode(204)
  choose(@Body() wanted: StatementMailsBody, @SignedIn() { person }: OpenedSession): Promise<void> {
    return this.statements.choose(person, wanted);
  }
}
