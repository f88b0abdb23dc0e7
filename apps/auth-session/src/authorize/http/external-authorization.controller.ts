import { All, Controller, Req, Res, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { identityHeader } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizeService } from '../authorize.service';
import { authorizeRequestOf, type OriginalRequestForm } from './external-authorization-request';
import { ProxyTokenGuard } from './proxy-token.guard';
import { denialOf, isDenial } from './refusal-answer';

/**
 * authorize for the external authorization of a proxy. The status is the decision: 200 with the identity assertion as a header (empty
 * on open paths, so that it replaces a header of the client), or the 401, 403, 404 or 429 for the client with its exact headers and
 * body.
 */
@Controller('internal/authorize/http')
@UseGuards(ProxyTokenGuard)
export class ExternalAuthorizationController {
  constructor(private readonly authorization: AuthorizeService) {}

  /** nginx: X-Original-URI and X-Original-Method. */
  @All('original')
  original(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide('original', request, reply);
  }

  /** Traefik ForwardAuth: X-Forwarded-Uri and X-Forwarded-Method. */
  @All('forwarded')
  forwarded(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide('forwarded', request, reply);
  }

  /** Envoy ext_authz over HTTP: `path_prefix: /internal/authorize/http/path`. */
  @All('path/*')
  @RouteConfig({ isTargetQuoted: true })
  path(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.decide('path', request, reply);
  }

  private async decide(form: OriginalRequestForm, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const asked = authorizeRequestOf(request, form);
    try {
      const identity = await this.authorization.authorize(asked);
      void reply
        .status(200)
        .header(identityHeader, identity ?? '')
        .send();
    } catch (error) {
      if (!(error instanceof DomainError && isDenial(error))) throw error;
      const { status, headers, body } = denialOf(error, asked);
      void reply.status(status).headers(headers).send(body);
    }
  }
}
