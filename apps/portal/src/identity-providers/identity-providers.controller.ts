import { Body, Controller, Delete, Get, HttpCode, Param, Put, Req } from '@nestjs/common';
import { IsIn, IsString, Length, Matches } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { type TenantType, tenantTypes } from '../people/domain/person';
import type { IdentityProvider } from './domain/identity-provider';
import { IdentityProvidersService } from './identity-providers.service';

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
