import { Body, Controller, Delete, Get, HttpCode, Param, Put, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { IdentityProvider } from '../domain/identity-provider';
import { SetProviderService } from '../set-provider.service';
import { CompanyParam, IdentityProviderBody } from './identity-provider.dto';

type OperatorRequest = FastifyRequest & { subject?: string };

/** What operators' commands do with the providers by which companies, and operators, sign in. */
@Controller('internal/identity-providers')
export class IdentityProvidersController {
  constructor(private readonly providers: SetProviderService) {}

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
