import { Body, Controller, Delete, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { type Language, languages, type ReadsIn } from '@paycode/dto/people';
import { IsIn, IsString, IsTimeZone, Length } from 'class-validator';
import type { FastifyReply } from 'fastify';
import type { Origin } from '../audit';
import { may, type Permission, type Person, readsNotifications, tenantName } from '../people/domain/person';
import { noCookie, type OpenedSession, type Stage } from '../sessions/domain/session';
import {
  AskedBy,
  type Asking,
  AtStages,
  ClientOrigin,
  ForAnybody,
  ForEverybody,
  PORTAL_RULES,
  type PortalHttpRequest,
  type PortalRules,
  SignedIn,
} from '../sessions/portal.guard';
import { PeopleService } from '../people/people.service';
import { type NewSession, SessionsService } from '../sessions/sessions.service';
import { type OwnProof, OwnProofs, PasswordService } from './password.service';
import { SecondFactorService } from './second-factor.service';

export class SignInBody {
  @IsString()
  @Length(1, 254)
  email!: string;

  @IsString()
  @Length(1, 128)
  password!: string;
}

export class CodeBody {
  @IsString()
  @Length(6, 40)
  code!: string;
}

export class ReadingBody implements ReadsIn {
  @IsIn(languages)
  language!: Language;

  /** IANA name. */
  @IsTimeZone()
  timeZone!: string;
}

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
    private readonly password: PasswordService,
    private readonly secondFactor: SecondFactorService,
    private readonly proofs: OwnProofs,
    private readonly sessions: SessionsService,
    private readonly people: PeopleService,
    @Inject(PORTAL_RULES) private readonly rules: PortalRules,
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
    return this.answer(await this.password.signIn({ email: email.trim(), password, origin }), reply);
  }

  @Post('code')
  @HttpCode(200)
  @AtStages('CODE_DUE')
  async prove(
    @Body() { code }: CodeBody,
    @AskedBy() asking: Asking,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ShownPerson> {
    await this.secondFactor.prove(code, asking);
    return this.answer(await this.sessions.openFull(asking), reply);
  }

  /** In place of the own password, for people who have none: their company signed them in within the last five minutes. */
  @Post('proof')
  @HttpCode(200)
  proof(@AskedBy() asking: Asking): OwnProof {
    return this.proofs.giveToFresh(asking);
  }

  /** The person uses a key or a pointer on a page: the session is not idle. */
  @Post('seen')
  @HttpCode(204)
  seen(): void {}

  /** Stores the language and time zone of the person: its pages in every browser and its mails have them. */
  @Post('reading')
  @HttpCode(204)
  read(@Body() body: ReadingBody, @SignedIn() { person }: OpenedSession): Promise<void> {
    return this.people.read(body, person);
  }

  @Delete()
  @HttpCode(204)
  @AtStages('FULL', 'CODE_DUE', 'ENROL_DUE')
  async end(@AskedBy() asking: Asking, @Res({ passthrough: true }) reply: FastifyReply): Promise<void> {
    await this.sessions.signOut(asking);
    void reply.header('set-cookie', noCookie);
  }

  private answer({ cookies, stage, person }: NewSession, reply: FastifyReply): ShownPerson {
    void reply.header('set-cookie', cookies);
    return this.shown(stage, person);
  }

  private shown(stage: Stage, person: Person): ShownPerson {
    const { isProduction } = this.rules;
    const mayDo = (permission: Permission) => may(person.role, permission, isProduction);
    const rights = {
      mayConfigure: mayDo('CONFIGURE'),
      mayInvite: mayDo('INVITE'),
      mayTest: mayDo('TEST'),
      mayRenewCredentials: mayDo('CREDENTIALS'),
      mayReadNotification: mayDo('NOTIFICATION') && readsNotifications(person),
      mayOnCall: mayDo('ON_CALL'),
    };
    const environment = isProduction ? 'production' : 'sandbox';
    return { stage, environment, person: { ...person, tenantName: tenantName(person), ...rights } };
  }
}
