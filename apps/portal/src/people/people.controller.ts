import { Body, Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { IsEmail, IsIn, IsOptional, IsString, Length } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { type Colleague, type Person, type Role, roles, type TenantType, tenantTypes } from './domain/person';
import { PeopleService } from './people.service';

export class InviteBody {
  @IsEmail(
    { require_tld: false, allow_utf8_local_part: false },
    { message: 'email must be an e-mail address, in ASCII before the @' },
  )
  @Length(3, 254)
  email!: string;

  @IsString()
  @Length(1, 100)
  name!: string;

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
    return this.people.invite(person, { personId: null, name: `operator ${request.subject ?? 'unknown'}`, origin });
  }

  @Get()
  list(@Query() { tenantType, tenantId }: TenantQuery): Promise<Colleague[]> {
    return this.people.ofTenant({ tenantType, tenantId: tenantId ?? '' });
  }
}
