import { Body, Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { IsEmail, IsIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
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
