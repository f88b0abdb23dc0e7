/** Tokens of the operator and of the gateway, for calls to auth-session. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TokenKeyFiles } from '@paycode/access/token-keys';
import jsonwebtoken from 'jsonwebtoken';
import {
  operatorName,
  serviceTokenType,
  signOperatorToken,
  signingKeyOf,
} from '../../../libs/access/src/service-token/token-keys.ts';

const gatewayLifetimeS = 60;
const renewAfterMs = 30_000;

export class BenchTokens {
  private readonly files: TokenKeyFiles;
  private kept: { token: string; madeAtMs: number } | undefined;

  constructor(files: TokenKeyFiles) {
    this.files = files;
  }

  operator(): string {
    const key = signingKeyOf(operatorName, readFileSync(this.files.operator, 'utf8'));
    return signOperatorToken(key, { subject: 'bench', lifetimeS: 3_600 });
  }

  gateway(): string {
    if (this.kept && performance.now() - this.kept.madeAtMs < renewAfterMs) return this.kept.token;
    const { kid, privateKey } = signingKeyOf('api-gateway', readFileSync(this.files.services['api-gateway'], 'utf8'));
    const token = jsonwebtoken.sign({}, privateKey, {
      algorithm: 'ES256',
      keyid: kid,
      header: { alg: 'ES256', typ: serviceTokenType },
      issuer: 'api-gateway',
      audience: 'auth-session',
      expiresIn: gatewayLifetimeS,
      jwtid: randomUUID(),
    });
    this.kept = { token, madeAtMs: performance.now() };
    return token;
  }
}
