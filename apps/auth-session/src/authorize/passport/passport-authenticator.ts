import { Injectable } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { AuthGuard } from '@nestjs/passport';
import jsonwebtoken from 'jsonwebtoken';
import type { Account } from '../../accounts';
import { badCredentials, expiredToken } from '../../refusals';
import { Authenticator, type RequestOrigin } from '../authorize.ports';
import type { Credential } from '../../sessions';
import { BasicStrategy } from './basic.strategy';
import { BearerStrategy } from './bearer.strategy';
import type { PassportRequest } from './passport-request';

class BasicGuard extends AuthGuard() {
  override handleRequest<T>(error: unknown, account: T): T {
    if (error) throw error;
    // passport-http turns away an empty user name or password by itself.
    if (!account) throw badCredentials();
    return account;
  }
}

class BearerGuard extends AuthGuard() {
  override handleRequest<T>(error: unknown, account: T, info: unknown): T {
    if (error) throw error;
    if (account) return account;
    // A-24: whatever jsonwebtoken objects to has one answer. Any other failure is ours and must not look like a 401.
    if (info instanceof jsonwebtoken.JsonWebTokenError) throw expiredToken();
    throw info instanceof Error ? info : expiredToken();
  }
}

/**
 * Runs the passport strategies on a credential that came in a body instead of a header: the request that is authorized is not the
 * request that carries it.
 */
@Injectable()
export class PassportAuthenticator extends Authenticator {
  private readonly basic: BasicGuard;
  private readonly bearer: BearerGuard;

  constructor(basic: BasicStrategy, bearer: BearerStrategy) {
    super();
    this.basic = new BasicGuard({ defaultStrategy: basic.name, session: false });
    this.bearer = new BearerGuard({ defaultStrategy: bearer.name, session: false });
  }

  async authenticate(credential: Extract<Credential, { kind: 'BASIC' | 'BEARER' }>, origin: RequestOrigin): Promise<Account> {
    const request: PassportRequest & { user?: Account } = { headers: { authorization: lineOf(credential) }, origin };
    const guard = credential.kind === 'BASIC' ? this.basic : this.bearer;
    await guard.canActivate(new ExecutionContextHost([request, {}]));
    return request.user!;
  }
}

/** passport-http reads a password only up to its next colon, and we never generate one with a colon: encoded, it stays whole and wrong. */
function lineOf(credential: Extract<Credential, { kind: 'BASIC' | 'BEARER' }>): string {
  if (credential.kind === 'BEARER') return `Bearer ${credential.token}`;
  const { username, password } = credential;
  return `Basic ${Buffer.from(`${username}:${password.replaceAll(':', '%3A')}`).toString('base64')}`;
}
