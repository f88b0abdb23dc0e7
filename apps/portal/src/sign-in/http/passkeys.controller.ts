import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { Passkey } from '../../passkeys/passkeys.ports';
import { cookieFor } from '../../sessions/domain/cookie';
import {
  AskedBy,
  type Asking,
  AtStages,
  ForEverybody,
  originOf,
  type PortalHttpRequest,
  SignedIn,
} from '../../sessions/http/portal-request';
import type { OpenedSession } from '../../sessions/sessions.ports';
import { OwnPasskeysService } from '../own-passkeys.service';
import { PasskeySignInService } from '../passkey-sign-in.service';
import { passwordFor } from '../password-for';
import { SessionOpener } from '../session.opener';
import { AssertionBody, AttestationBody, BeginPasskeyBody, RemovePasskeyBody } from './passkey.dto';

/** Passkeys: signing in by one, and one's own. */
@Controller('console/api')
export class PasskeysController {
  constructor(
    private readonly signIn: PasskeySignInService,
    private readonly own: OwnPasskeysService,
    private readonly opener: SessionOpener,
  ) {}

  /** For whoever has given its password, its own passkeys; for everybody else any. */
  @Post('session/passkey/options')
  @HttpCode(200)
  @ForEverybody()
  ask(@Req() { opened }: PortalHttpRequest) {
    return this.signIn.begin(halfSignedIn(opened)?.person.personId ?? null);
  }

  @Post('session/passkey')
  @HttpCode(204)
  @ForEverybody()
  async prove(
    @Body() { sealed, ...assertion }: AssertionBody,
    @Req() request: PortalHttpRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const [half, origin] = [halfSignedIn(request.opened), originOf(request)];
    const person = await this.signIn.prove({ sealed, assertion, personId: half?.person.personId ?? null, origin });
    const { secret, lifetimeS } = await this.opener.openByPasskey(person, origin, half?.session.sessionId);
    void reply.header('set-cookie', cookieFor(secret, lifetimeS));
  }

  @Get('passkeys')
  list(@SignedIn() { person }: OpenedSession): Promise<Passkey[]> {
    return this.own.list(person.personId);
  }

  @Post('passkeys/options')
  @HttpCode(200)
  @AtStages('FULL', 'ENROL_DUE')
  begin(@Body() { current }: BeginPasskeyBody, @AskedBy() { session, person, origin }: Asking) {
    return this.own.begin(passwordFor(session, current), { person, sessionId: session.sessionId, origin });
  }

  /** Whoever had to set up a second factor is in now. */
  @Post('passkeys')
  @HttpCode(200)
  @AtStages('FULL', 'ENROL_DUE')
  async add(
    @Body() { sealed, name, ...attestation }: AttestationBody,
    @AskedBy() { session, person, origin }: Asking,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ recoveryCodes: string[] }> {
    const asking = { person, sessionId: session.sessionId, origin };
    const recoveryCodes = await this.own.add({ sealed, name, attestation }, asking);
    const { secret, lifetimeS } = await this.opener.openFull(person, origin, session.sessionId);
    void reply.header('set-cookie', cookieFor(secret, lifetimeS));
    return { recoveryCodes };
  }

  @Post('passkeys/remove')
  @HttpCode(204)
  async remove(@Body() body: RemovePasskeyBody, @AskedBy() { session, person, origin }: Asking): Promise<void> {
    await this.own.remove(body, { person, sessionId: session.sessionId, origin });
  }
}

/** Who has given its password and owes the second factor. */
function halfSignedIn(opened: OpenedSession | undefined): OpenedSession | undefined {
  return opened?.session.stage === 'CODE_DUE' ? opened : undefined;
}
