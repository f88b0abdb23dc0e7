import { Body, Controller, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import { actionsFile, AuditLog, doneBy, type RecordedAction } from '../audit';
import type { OpenedSession } from '../sessions/domain/session';
import { AskedBy, type Asking, Needs, SignedIn } from '../sessions/portal.guard';
import { CurrentPasswordBody } from '../sign-in/password.service';
import { type Colleague, type Person, type Role, roles } from './domain/person';
import { InviteBody } from './people.controller';
import { PeopleService } from './people.service';

export class PersonParam {
  @IsUUID()
  personId!: string;
}

export class InviteColleagueBody extends InviteBody {
  /** The own password: in production, for somebody who can confirm requests. */
  @IsOptional()
  @IsString()
  @Length(1, 1_000)
  current?: string;
}

export class RoleBody extends CurrentPasswordBody {
  @IsIn(roles)
  role!: Role;
}

export class ActionsQuery {
  /** The id of the last row of the page before. */
  @IsOptional()
  @Matches(/^[1-9][0-9]{0,17}$/)
  before?: string;

  @IsOptional()
  @Matches(/^[A-Z_]{1,40}$/)
  action?: string;
}

const actionsPerPage = 50;
/** Lines of one file; earlier actions come with `before`. */
const actionsPerFile = 10_000;

/** Owners let people into their account, change their roles and remove them. */
@Controller('console/api')
export class ColleaguesController {
  constructor(
    private readonly people: PeopleService,
    private readonly audit: AuditLog,
  ) {}

  @Get('people')
  colleagues(@SignedIn() { person }: OpenedSession): Promise<Colleague[]> {
    return this.people.ofTenant(person);
  }

  /** Into one's own account only. */
  @Post('invitations')
  @HttpCode(201)
  @Needs('INVITE')
  invite(@Body() { current, ...colleague }: InviteColleagueBody, @AskedBy() asking: Asking): Promise<Person> {
    return this.people.inviteColleague(colleague, current, asking);
  }

  /** To somebody who is not in yet: the earlier link ends. */
  @Post('people/:personId/invite')
  @HttpCode(204)
  @Needs('INVITE')
  async inviteAgain(@Param() { personId }: PersonParam, @AskedBy() asking: Asking): Promise<void> {
    await this.people.inviteAgain(personId, asking);
  }

  /** Counts at once, in sessions that are open too. */
  @Post('people/:personId/role')
  @HttpCode(204)
  @Needs('INVITE')
  changeRole(@Param() { personId }: PersonParam, @Body() body: RoleBody, @AskedBy() asking: Asking): Promise<void> {
    return this.people.changeRole({ personId, ...body }, asking);
  }

  /** Ends sessions, passkeys and links at once; withdraws the invitation of somebody who is not in yet. */
  @Post('people/:personId/remove')
  @HttpCode(204)
  @Needs('INVITE')
  remove(@Param() { personId }: PersonParam, @Body() { current }: CurrentPasswordBody, @AskedBy() asking: Asking): Promise<void> {
    return this.people.remove({ personId, current }, asking);
  }

  /** After too many wrong codes of a colleague's authenticator app. */
  @Post('people/:personId/allow-codes')
  @HttpCode(204)
  @Needs('INVITE')
  allowCodes(
    @Param() { personId }: PersonParam,
    @Body() { current }: CurrentPasswordBody,
    @AskedBy() asking: Asking,
  ): Promise<void> {
    return this.people.allowCodes({ personId, current }, asking);
  }

  /** Actions of the people of the account, also of those who left; the latest first. */
  @Get('actions')
  @Needs('INVITE')
  actions(@Query() { before, action }: ActionsQuery, @SignedIn() { person }: OpenedSession): Promise<RecordedAction[]> {
    return this.audit.ofTenant(person, { before, action, limit: actionsPerPage });
  }

  /** As CSV, the latest first, at most 10,000; on record itself. */
  @Get('actions/file')
  @Needs('INVITE')
  async actionsFile(@Query() { before, action }: ActionsQuery, @AskedBy() asking: Asking): Promise<StreamableFile> {
    await this.audit.record({ ...doneBy(asking), action: 'RECORD_EXPORTED', ...(action && { detail: { action } }) });
    const actions = await this.audit.ofTenant(asking.person, { before, action, limit: actionsPerFile });
    return new StreamableFile(Buffer.from(actionsFile(actions)), {
      type: 'text/csv; charset=utf-8; header=present',
      disposition: 'attachment; filename="record.csv"',
    });
  }
}
