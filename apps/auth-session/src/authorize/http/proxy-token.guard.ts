import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { constantTimeEqual } from '@paycode/crypto';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';

const proxyTokenHeader = 'x-paycode-proxy-token';

/** Tokens of proxies that may use external authorization; without a token the endpoint refuses every call. */
export class ProxyTokens {
  constructor(private readonly tokens: readonly string[]) {}

  accept(presented: string): boolean {
    return this.tokens.filter(token => constantTimeEqual(token, presented)).length > 0;
  }
}

/**
 * Checks the static token of a proxy. A proxy cannot sign short-lived service tokens, and its Authorization header is the client's.
 */
@Injectable()
export class ProxyTokenGuard implements CanActivate {
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
