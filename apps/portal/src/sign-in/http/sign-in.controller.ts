import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Origin } from '../../audit/audit.ports';
import { may, type Permission, type Person, readsNotifications, tenantName } from '../../people/domain/person';
import { cookieFor, noCookie } from '../../sessions/domain/cookie';
import type { Stage } from '../../sessions/domain/session';
import {
  AskedBy,
  type Asking,
  AtStages,
  ClientOrigin,
  ForAnybody,
  ForEverybody,
  type PortalHttpRequest,
} from '../../sessions/http/portal-request';
import { SessionStore } from '../../sessions/sessions.ports';
import { SecondFactorService } from '../second-factor.service';
import { SessionEnds } from '../session-ends';
import type { NewSession } from '../session.opener';
import { SignInService } from '../sign-in.service';
import { CodeBody, SignInBody } from './sign-in.dto';

export const ENVIRONMENT = Symbol('ENVIRONMENT');

interface ShownPerson {
  stage: Stage;
  environment: string;
  person: Person & {
    tenantName: string;
    mayConfigure: boolean;
    mayInvite: boolean;
    mayTest: boolean;
    mayRenewCredentials: boolean;
    mayReadNotification: boolean;
    mayOnCall: boolean;
  };
}

/** The session of this browser. */
@Controller('console/api/session')
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly secondFactor: SecondFactorService,
    private readonly sessions: SessionStore,
    private readonly ends: SessionEnds,
    @Inject(ENVIRONMENT) private readonly environment: string,
  ) {}

  /** Nobody is an answer, too: the sign-in page asks first. */
  @Get()
  @ForEverybody()
  show(@Req() { opened }: PortalHttpRequest): ShownPerson | { stage: 'NONE' } {
    return opened ? this.shown(opened.session.stage, opened.person) : { stage: 'NONE' };
  }

  @Post()
  @HttpCode(200)
  @ForAnybody()
  async begin(
    @Body() { email, password }: SignInBody,
    @ClientOrigin() origin: Origin,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShownPerson> {
    return this.answer(await this.signIn.signIn({ email: email.trim(), password, origin }), reply);
  }

  @Post('code')
  @HttpCode(200)
  @AtStages('CODE_DUE')
  async prove(
    @Body() { code }: CodeBody,
    @AskedBy() { session, person, origin }: Asking,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShownPerson> {
    await this.secondFactor.prove(code, { person, sessionId: session.sessionId, origin });
    return this.answer(await this.ends.openFull(person, origin, session.sessionId), reply);
  }

  @Delete()
  @HttpCode(204)
  @AtStages('FULL', 'CODE_DUE', 'ENROL_DUE')
  async end(@AskedBy() { session, person, origin }: Asking, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.sessions.end(person.personId, session.sessionId);
    await this.ends.signedOut(person, origin);
    void reply.header('set-cookie', noCookie);
  }

  private answer({ secret, stage, person, lifetimeS }: NewSession, reply: FastifyReply): ShownPerson {
    void reply.header('set-cookie', cookieFor(secret, lifetimeS));
    return this.shown(stage, person);
  }

  private shown(stage: Stage, person: Person): ShownPerson {
    const { role } = person;
    const mayDo = (permission: Permission) => may(role, permission, this.environment === 'production');
    const rights = {
      mayConfigure: mayDo('CONFIGURE'),
      mayInvite: mayDo('INVITE'),
      mayTest: mayDo('TEST'),
      mayRenewCredentials: mayDo('CREDENTIALS'),
      mayReadNotification: mayDo('NOTIFICATION') && readsNotifications(person),
      mayOnCall: mayDo('ON_CALL'),
    };
    return { stage, environment: this.environment, person: { ...person, tenantName: tenantName(person), ...rights } };
  }
}
