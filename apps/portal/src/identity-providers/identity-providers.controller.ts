import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Req, Res } from '@nestjs/common';
import { IsIn, IsString, Length, Matches } from 'class-validator';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TenantType, tenantTypes } from '../people/domain/person';
import { noSsoCookie, ssoCookieFor, ssoIn } from '../sessions/domain/session';
import { ForAnybody, originOf, type PortalHttpRequest } from '../sessions/portal.guard';
import { SessionsService } from '../sessions/sessions.service';
import type { IdentityProvider } from './domain/identity-provider';
import { IdentityProvidersService } from './identity-providers.service';
import { ssoMs, SsoService } from './sso.service';

export class IdentityProviderBody {
  @IsIn(tenantTypes)
  tenantType!: TenantType;

  /** Merchant or PSP id, name of the acquirer; empty for operators. */
  @IsString()
  @Length(0, 100)
  tenantId!: string;

  @IsString()
  @Length(1, 500)
  issuer!: string;

  @IsString()
  @Length(1, 200)
  clientId!: string;

  @IsString()
  @Length(1, 500)
  clientSecret!: string;
}

export class CompanyParam {
  @Matches(/^[a-z0-9][a-z0-9-]{1,39}$/, { message: 'company must be 2 to 40 small letters, digits and hyphens' })
  company!: string;
}

type OperatorRequest = FastifyRequest & { subject?: string };

/** Operators' commands manage the identity providers by which companies, and operators, sign in. */
@Controller('internal/identity-providers')
export class IdentityProvidersController {
  constructor(private readonly providers: IdentityProvidersService) {}

  /** Without secrets. */
  @Get()
  list(): Promise<IdentityProvider[]> {
    return this.providers.list();
  }

  /** In place of the one that the tenant had. */
  @Put(':company')
  @HttpCode(204)
  set(@Param() { company }: CompanyParam, @Body() body: IdentityProviderBody, @Req() request: OperatorRequest): Promise<void> {
    return this.providers.set({ ...body, company }, operatorOf(request));
  }

  @Delete(':company')
  @HttpCode(204)
  remove(@Param() { company }: CompanyParam, @Req() request: OperatorRequest): Promise<void> {
    return this.providers.remove(company, operatorOf(request));
  }
}

function operatorOf(request: OperatorRequest) {
  const origin = { address: request.ip, userAgent: 'operator', requestId: String(request.id) };
  return { name: `operator ${request.subject ?? 'unknown'}`, origin };
}

export class CompanyBody {
  @Matches(/^[a-z0-9][a-z0-9-]{1,39}$/, { message: 'company must be 2 to 40 small letters, digits and hyphens' })
  company!: string;
}

export class SsoAnswerBody extends CompanyBody {
  /** The query that the provider sent the browser back with. */
  @IsString()
  @Length(1, 4_000)
  answer!: string;
}

/** Signing in by the provider of one's company. */
@Controller('console/api/session/sso')
export class SsoController {
  constructor(
    private readonly sso: SsoService,
    private readonly sessions: SessionsService,
  ) {}

  @Post('begin')
  @HttpCode(200)
  @ForAnybody()
  async begin(@Body() { company }: CompanyBody, @Res({ passthrough: true }) reply: FastifyReply): Promise<{ url: string }> {
    const { url, sealed } = await this.sso.begin(company);
    void reply.header('set-cookie', ssoCookieFor(sealed, ssoMs / 1_000));
    return { url };
  }

  /** The page that the provider leads to sends this on: it is one of ours, so the browser adds its cookie. */
  @Post()
  @HttpCode(204)
  @ForAnybody()
  async finish(
    @Body() { company, answer }: SsoAnswerBody,
    @Req() request: PortalHttpRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const origin = originOf(request);
    const person = await this.sso.finish({ sealed: ssoIn(request.headers.cookie), company, answer, origin });
    const { cookies } = await this.sessions.openByProvider(person, origin);
    void reply.header('set-cookie', [...cookies, noSsoCookie]);
  }
}
