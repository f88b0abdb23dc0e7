import { Inject, Injectable } from '@nestjs/common';
import jsonwebtoken from 'jsonwebtoken';
import { ServiceKeys } from '../keys/service-keys';
import {
  type AccessClaims,
  accessTokenAlgorithm,
  accessTokenAudience,
  accessTokenIssuer,
  accessTokenType,
  readClaims,
} from './domain/access-token';

export const TOKEN_ENVIRONMENT = Symbol('TOKEN_ENVIRONMENT');

type Environment = 'sandbox' | 'production';

/** Makes access tokens and recognises forged ones. It does not check whether a genuine token is still valid. */
@Injectable()
export class AccessTokens {
  /** Options of every verification, in passport-jwt and here. The caller checks the expiry by its own clock. */
  readonly verification: jsonwebtoken.VerifyOptions & { complete: true };
  private readonly audience: string;

  constructor(
    private readonly keys: ServiceKeys,
    @Inject(TOKEN_ENVIRONMENT) environment: Environment,
  ) {
    this.audience = accessTokenAudience(environment);
    this.verification = {
      algorithms: [accessTokenAlgorithm],
      issuer: accessTokenIssuer,
      audience: this.audience,
      complete: true,
      ignoreExpiration: true,
      ignoreNotBefore: true,
    };
  }

  async sign(claims: AccessClaims): Promise<string> {
    const { kid, key } = await this.keys.access.current();
    const { subject: sub, sessionId: sid, tokenId: jti, issuedAtS: iat, expiresAtS: exp } = claims;
    return jsonwebtoken.sign({ sub, sid, jti, iat, exp }, key, {
      keyid: kid,
      issuer: accessTokenIssuer,
      audience: this.audience,
      header: { alg: accessTokenAlgorithm, typ: accessTokenType },
    });
  }

  /** The key the token says it was signed with; undefined when there is no such key. */
  async keyOf(token: string) {
    const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid;
    return kid === undefined ? undefined : (await this.keys.access.find(kid))?.key;
  }

  /** The id of the valid key the token says it was signed with. */
  async kidOf(token: string): Promise<string | undefined> {
    const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid;
    return kid !== undefined && (await this.isKeyValid(kid)) ? kid : undefined;
  }

  /** Whether tokens of that key are still accepted; keys are withdrawn by rotation. */
  async isKeyValid(kid: string): Promise<boolean> {
    return (await this.keys.access.all()).some(key => key.kid === kid);
  }

  /** The claims of a token that this service signed, expired or not; undefined for any other token. */
  async genuine(token: string): Promise<AccessClaims | undefined> {
    const key = await this.keyOf(token);
    if (!key) return undefined;
    try {
      return readClaims(jsonwebtoken.verify(token, key, this.verification));
    } catch (error) {
      if (error instanceof jsonwebtoken.JsonWebTokenError) return undefined;
      throw error;
    }
  }
}
