import { Body, Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsIn, IsOptional, IsString, IsUUID, Length, Matches } from 'class-validator';
import type { FastifyReply } from 'fastify';
import type { OpenedSession } from '../sessions/domain/session';
import {
  AskedBy,
  type Asking,
  AtStages,
  ForEverybody,
  originOf,
  type PortalHttpRequest,
  SignedIn,
} from '../sessions/portal.guard';
import { SessionsService } from '../sessions/sessions.service';
import { type OwnProof, passwordFor } from '../sign-in/password.service';
import { type BegunPasskey, type BegunSignIn, PasskeysService } from './passkeys.service';

/** As browsers give bytes: base64url without padding. */
const base64url = (lengthMax: number) => new RegExp(`^[A-Za-z0-9_-]{1,${lengthMax}}$`);
const transports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

class CeremonyBody {
  /** The value that came with the options. */
  @IsString()
  @Length(1, 2_000)
  sealed!: string;

  /** Of the passkey. */
  @Matches(base64url(1_400))
  id!: string;

  @Matches(base64url(4_000))
  clientDataJSON!: string;
}

export class AssertionBody extends CeremonyBody {
  @Matches(base64url(4_000))
  authenticatorData!: string;

  @Matches(base64url(2_000))
  signature!: string;

  /** Whose the passkey says it is. */
  @IsOptional()
  @Matches(base64url(100))
  userHandle?: string;
}

export class BeginPasskeyBody {
  /** The own password; not asked for where one has just signed in with it to set up a second factor. */
  @IsOptional()
  @IsString()
  @Length(1, 1_000)
  current?: string;
}

export class AttestationBody extends CeremonyBody {
  /** As its person calls it. */
  @IsString()
  @Length(1, 60)
  name!: string;

  @Matches(base64url(16_000))
  attestationObject!: string;

  @IsArray()
  @ArrayMaxSize(10)
  @IsIn(transports, { each: true })
  transports!: string[];
}

export class RemovePasskeyBody {
  @IsUUID()
  passkeyId!: string;

  @IsString()
  @Length(1, 1_000)
  current!: string;
}

/** Passkeys: signing in by one, and one's own. */
@Controller('console/api')
export class PasskeysController {
  constructor(
    private readonly passkeys: PasskeysService,
    private readonly sessions: SessionsService,
  ) {}

  /** For a person who has given its password, its own passkeys; for everybody else any. */
  @Post('session/passkey/options')
  @HttpCode(200)
  @ForEverybody()
  ask(@Req() { opened }: PortalHttpRequest): Promise<BegunSignIn> {
    return this.passkeys.beginSignIn(halfSignedIn(opened)?.person.personId ?? null);
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
    const person = await this.passkeys.signIn({ sealed, assertion, personId: half?.person.personId ?? null, origin });
    const { cookies } = await this.sessions.openByPasskey(person, origin, half?.session);
    void reply.header('set-cookie', cookies);
  }

  /** Before a change that takes the own password: any passkey of the person stands in for it. */
  @Post('passkeys/proof/options')
  @HttpCode(200)
  askProof(@SignedIn() { person }: OpenedSession): Promise<BegunSignIn> {
    return this.passkeys.beginSignIn(person.personId, 'PROVE');
  }

  @Post('passkeys/proof')
  @HttpCode(200)
  proof(@Body() { sealed, ...assertion }: AssertionBody, @AskedBy() asking: Asking): Promise<OwnProof> {
    return this.passkeys.prove({ sealed, assertion }, asking);
  }

  @Get('passkeys')
  list(@SignedIn() { person }: OpenedSession): ReturnType<PasskeysService['list']> {
    return this.passkeys.list(person.personId);
  }

  @Post('passkeys/options')
  @HttpCode(200)
  @AtStages('FULL', 'ENROL_DUE')
  begin(@Body() { current }: BeginPasskeyBody, @AskedBy() asking: Asking): Promise<BegunPasskey> {
    return this.passkeys.begin(passwordFor(asking.session, current), asking);
  }

  /** A person who had to set up a second factor is in now. */
  @Post('passkeys')
  @HttpCode(200)
  @AtStages('FULL', 'ENROL_DUE')
  async add(
    @Body() { sealed, name, ...attestation }: AttestationBody,
    @AskedBy() asking: Asking,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ recoveryCodes: string[] }> {
    const recoveryCodes = await this.passkeys.add({ sealed, name, attestation }, asking);
    const { cookies } = await this.sessions.openFull(asking);
    void reply.header('set-cookie', cookies);
    return { recoveryCodes };
  }

  @Post('passkeys/remove')
  @HttpCode(204)
  remove(@Body() body: RemovePasskeyBody, @AskedBy() asking: Asking): Promise<void> {
    return this.passkeys.remove(body, asking);
  }
}

/** A person who has given its password and owes the second factor. */
function halfSignedIn(opened: OpenedSession | undefined): OpenedSession | undefined {
  return opened?.session.stage === 'CODE_DUE' ? opened : undefined;
}
