import { Body, Controller, Delete, Get, HttpCode, Param, Post, Res } from '@nestjs/common';
import { IsOptional, IsString, IsUUID, Length } from 'class-validator';
import type { FastifyReply } from 'fastify';
import type { Origin } from '../audit';
import type { OpenedSession } from '../sessions/domain/session';
import { AskedBy, type Asking, AtStages, ClientOrigin, ForAnybody, SignedIn } from '../sessions/portal.guard';
import { type OwnSession, SessionsService } from '../sessions/sessions.service';
import { ForgottenPasswordService } from './forgotten-password.service';
import { CurrentPasswordBody, passwordFor, PasswordService } from './password.service';
import { SecondFactorService } from './second-factor.service';
import { CodeBody } from './sign-in.controller';

export class EnrolBody extends CodeBody {
  @IsString()
  @Length(1, 2_000)
  sealed!: string;

  /** The own password; not asked for where one has just signed in with it to set up a second factor. */
  @IsOptional()
  @IsString()
  @Length(1, 1_000)
  current?: string;
}

export class ChangePasswordBody extends CurrentPasswordBody {
  @IsString()
  @Length(1, 1_000)
  next!: string;
}

export class AcceptBody {
  @IsString()
  @Length(43, 43)
  secret!: string;

  @IsString()
  @Length(1, 1_000)
  password!: string;
}

export class ForgottenBody {
  @IsString()
  @Length(1, 254)
  email!: string;
}

/** A person's own password and app. */
@Controller('console/api')
export class SecurityController {
  constructor(
    private readonly password: PasswordService,
    private readonly secondFactor: SecondFactorService,
    private readonly forgottenPassword: ForgottenPasswordService,
    private readonly sessions: SessionsService,
  ) {}

  @Post('totp')
  @HttpCode(200)
  @AtStages('FULL', 'ENROL_DUE')
  begin(@SignedIn() { person }: OpenedSession): { sealed: string; url: string; secret: string } {
    return this.secondFactor.begin(person);
  }

  @Post('totp/confirm')
  @HttpCode(200)
  @AtStages('FULL', 'ENROL_DUE')
  async enrol(
    @Body() { current, ...body }: EnrolBody,
    @AskedBy() asking: Asking,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ recoveryCodes: string[] }> {
    const given = { ...body, current: passwordFor(asking.session, current) };
    const recoveryCodes = await this.secondFactor.enrol(given, asking);
    const { cookies } = await this.sessions.openFull(asking);
    void reply.header('set-cookie', cookies);
    return { recoveryCodes };
  }

  @Post('totp/remove')
  @HttpCode(204)
  remove(@Body() { code }: CodeBody, @AskedBy() asking: Asking): Promise<void> {
    return this.secondFactor.remove(code, asking);
  }

  @Post('password')
  @HttpCode(204)
  changePassword(@Body() body: ChangePasswordBody, @AskedBy() asking: Asking): Promise<void> {
    return this.password.change(body, asking);
  }

  @Post('invitations/accept')
  @HttpCode(204)
  @ForAnybody()
  accept(@Body() body: AcceptBody, @ClientOrigin() origin: Origin): Promise<void> {
    return this.password.accept(body, origin);
  }

  /** One answer, whether the address has a password here or not. */
  @Post('password/forgotten')
  @HttpCode(204)
  @ForAnybody()
  forgotten(@Body() { email }: ForgottenBody, @ClientOrigin() origin: Origin): Promise<void> {
    return this.forgottenPassword.ask(email.trim(), origin);
  }
}

export class SessionParam {
  @IsUUID()
  sessionId!: string;
}

/** A person's own sessions: seen, and ended one by one. */
@Controller('console/api/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  list(@SignedIn() opened: OpenedSession): Promise<OwnSession[]> {
    return this.sessions.list(opened);
  }

  @Delete(':sessionId')
  @HttpCode(204)
  end(@Param() { sessionId }: SessionParam, @AskedBy() asking: Asking): Promise<void> {
    return this.sessions.end(sessionId, asking);
  }
}
