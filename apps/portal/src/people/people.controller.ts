import { Body, Controller, Get, HttpCode, Param, Post, Query, Req, type StreamableFile } from '@nestjs/common';
import { IsEmail, IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { actionColumns, AuditLog, doneBy, type RecordedAction } from '../audit';
import { answerOf, fileOf } from '../files/file';
import type { OpenedSession } from '../sessions/domain/session';
import { AskedBy, type Asking, Needs, SignedIn } from '../sessions/portal.guard';
import { CurrentPasswordBody } from '../sign-in/password.service';
import { type Colleague, type Person, type Role, roles, type TenantType, tenantTypes } from './domain/person';
import { PeopleService } from './people.service';

/**
 * Names stand in mails to people who did not choose them, so they hold no link, no phone number and no sentence with marks of its own (T-25):
 * letters, digits (four at most), spaces and `' ’ - ( ) , .`; after a dot comes a space, the end, or another initial.
 */
const personName =
  /^(?!(?:.*\p{N}){5})(?!.*\.(?!$|[\s,)-]|\p{L}\p{M}*\.))[\p{L}\p{M}\p{N} '’.,()-]*\p{L}[\p{L}\p{M}\p{N} '’.,()-]*$/u;

export class PersonBody {
  @IsEmail(
    { require_tld: false, allow_utf8_local_part: false },
    { message: 'email must be an e-mail address, in ASCII before the @' },
  )
  @Length(3, 254)
  email!: string;

  @Matches(personName, {
    message:
      "name must be the name of a person: letters, spaces, at most four digits, and ' ’ - ( ) , . with a space after a dot",
  })
  @Length(1, 100)
  name!: string;
}

export class InviteBody extends PersonBody {
  @IsIn(roles)
  role!: Role;
}

export class CreatePersonBody extends InviteBody {
  @IsIn(tenantTypes)
  tenantType!: TenantType;

  @IsString()
  @Length(0, 100)
  tenantId!: string;

  @IsOptional()
  @IsString()
  @Length(12, 128)
  password?: string;
}

export class TenantQuery {
  @IsIn(tenantTypes)
  tenantType!: TenantType;

  @IsOptional()
  @IsString()
  @Length(0, 100)
  tenantId?: string;
}

/** Operators' commands manage people of the portal: they invite the first owner of a tenant. */
@Controller('internal/people')
export class PeopleController {
  constructor(private readonly people: PeopleService) {}

  /** Invites by e-mail; with `password`, in the sandbox only, makes a person who can sign in at once. */
  @Post()
  @HttpCode(201)
  async create(
    @Body() { password, ...person }: CreatePersonBody,
    @Req() request: FastifyRequest & { subject?: string },
  ): Promise<Person> {
    if (password !== undefined) return this.people.createWithPassword(person, password);
    const origin = { address: request.ip, userAgent: 'operator', requestId: String(request.id) };
    return this.people.inviteFirst(person, { personId: null, name: `operator ${request.subject ?? 'unknown'}`, origin });
  }

  @Get()
  list(@Query() { tenantType, tenantId }: TenantQuery): Promise<Colleague[]> {
    return this.people.ofTenant({ tenantType, tenantId: tenantId ?? '' });
  }
}

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
    const file = fileOf([actions], { columns: actionColumns, title: 'Record', format: 'CSV', timeZone: 'UTC' });
    return answerOf(file, 'record', 'CSV');
  }
}
