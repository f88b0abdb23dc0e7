import { Body, Controller, Get, HttpCode, Post, Query, Req } from '@nestjs/common';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';
import type { Person } from '../domain/person';
import { InvitePersonService } from '../invite-person.service';
import { Passwords } from '../passwords';
import { PeopleStore } from '../people.ports';
import { CreatePersonBody, TenantQuery } from './people.dto';
import { SandboxOnly } from './sandbox-only';

/** What operators' commands do with people of the portal: the first owner of a tenant is let in here. */
@Controller('internal/people')
export class PeopleController {
  constructor(
    private readonly invitePerson: InvitePersonService,
    private readonly people: PeopleStore,
    private readonly passwords: Passwords,
    private readonly sandbox: SandboxOnly,
  ) {}

  /** Invites by e-mail; with `password`, in the sandbox only, makes a person who can sign in at once. */
  @Post()
  @HttpCode(201)
  async create(
    @Body() { password, ...person }: CreatePersonBody,
    @Req() request: FastifyRequest & { subject?: string },
  ): Promise<Person> {
    if (password !== undefined) return this.createWithPassword(person, password);
    const origin = { address: request.ip, userAgent: 'operator', requestId: String(request.id) };
    return this.invitePerson.invite(person, { personId: null, name: `operator ${request.subject ?? 'unknown'}`, origin });
  }

  @Get()
  list(@Query() { tenantType, tenantId }: TenantQuery): Promise<Person[]> {
    return this.people.ofTenant({ tenantType, tenantId: tenantId ?? '' });
  }

  private async createWithPassword(person: Omit<CreatePersonBody, 'password'>, password: string): Promise<Person> {
    this.sandbox.orRefuse('password');
    const hash = await this.passwords.hash(password);
    const added = await this.people.add(person, hash);
    if (added) return added;
    const known = await this.people.byEmail(person.email);
    if (!known)
      throw new DomainError({ status: 409, reason: 'EMAIL_TAKEN', message: 'this e-mail address already has an account' });
    await this.people.setPassword(known.person.personId, hash);
    return known.person;
  }
}
