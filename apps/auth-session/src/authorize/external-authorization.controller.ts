import { All, type CanActivate, Controller, type ExecutionContext, Injectable, Req, Res, UseGuards } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { constantTimeEqual } from '@paycode/crypto';
import { type AuthorizeRequest, identityHeader } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { denialOf, isDenial } from './authorize.route';
import { AuthorizeService } from './authorize.service';

const proxyTokenHeader = 'x-paycode-proxy-token';

/** Tokens of proxies that may use external authorization; without a token the endpoint refuses every call. */
export class ProxyTokens {
  constructor(private readonly tokens: readonly string[]) {}

  accept(presented: string): boolean {
    return this.tokens.filter(token => constantTimeEqual(token, presented)).length > 0;
  }
}

/** Checks the static token of a proxy. A proxy cannot sign short-lived service tokens, and its Authorization header is the client's. */
@Injectable()
class ProxyTokenGuard implements CanActivate {
  constructor(private readonly tokens: ProxyTokens) {}

  canActivate(context: ExecutionContext): boolean {
    const presented = context.switchToHttp().getRequest<FastifyRequest>().headers[proxyTokenHeader];
    if (typeof presented === 'string' && this.tokens.accept(presented)) return true;
    throw new DomainError({
      status: 500,
      reason: 'PROXY_TOKEN',
      message: 'the proxy is not configured for external authorization',
    });
  }
}

/**
 * authorize for the external authorization of a proxy. The status is the decision: 200 with the identity assertion as a header (empty on open
 * paths, so that it replaces a header of the client), or the 401, 403, 404 or 429 for the client with its exact headers and body.
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
      const { identity } = await this.authorization.authorize(asked);
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

/** How a proxy passes the original request. Each kind of proxy has its own URL, and only the headers of that kind are trusted. */
type OriginalRequestForm = 'original' | 'forwarded' | 'path';

const fieldNames = {
  original: { path: 'x-original-uri', method: 'x-original-method' },
  forwarded: { path: 'x-forwarded-uri', method: 'x-forwarded-method' },
} as const;

/**
 * The client's request as a proxy describes it. Each field must be there exactly once: the proxy sets one, so a second line would
 * come from the client.
 * @throws DomainError 400
 */
function authorizeRequestOf(request: FastifyRequest, form: OriginalRequestForm): AuthorizeRequest {
  const target = form === 'path' ? targetInPath(request) : targetInFields(request, form);
  const forwardedFor = linesOf(request, 'x-forwarded-for').at(-1)?.split(',').at(-1)?.trim();
  return {
    ...target,
    authorization: linesOf(request, 'authorization'),
    address: forwardedFor || request.ip,
    requestId: String(request.id),
  };
}

function targetInFields(request: FastifyRequest, form: 'original' | 'forwarded'): { path: string; method: string } {
  return { path: single(request, fieldNames[form].path), method: single(request, fieldNames[form].method) };
}

/** Envoy repeats the client's method and appends its path: `/internal/authorize/http/path` + `/pluto/code/create?…`. */
function targetInPath(request: FastifyRequest): { path: string; method: string } {
  const prefix = '/internal/authorize/http/path';
  return { path: request.raw.url!.slice(prefix.length), method: request.method };
}

function single(request: FastifyRequest, name: string): string {
  const [value, ...more] = linesOf(request, name);
  if (value !== undefined && more.length === 0) return value;
  throw new DomainError({ status: 400, reason: 'EXTERNAL_AUTHORIZATION', message: `${name} must be set exactly once` });
}

function linesOf(request: FastifyRequest, name: string): string[] {
  const { rawHeaders } = request.raw;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name);
}
