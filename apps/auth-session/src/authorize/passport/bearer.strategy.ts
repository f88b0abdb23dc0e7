import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { ownNameRegistry } from '@paycode/access';
import type jsonwebtoken from 'jsonwebtoken';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { type AccessClaims, AccessTokens, readClaims } from '../../sessions';

type Done = (error: unknown, key?: Buffer) => void;

/** Bearer tokens through passport-jwt: one algorithm, a key that the server chooses, one kind of token (T-08). */
@Injectable()
export class BearerStrategy extends PassportStrategy(Strategy) {
  declare name: string;

  constructor(tokens: AccessTokens) {
    const { algorithms, issuer, audience, complete, ignoreExpiration, ignoreNotBefore } = tokens.verification;
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKeyProvider: (_request, token: string, done: Done) => {
        tokens.keyOf(token).then(key => done(null, key as unknown as Buffer), done);
      },
      algorithms,
      issuer: issuer as string,
      audience: audience as string,
      ignoreExpiration,
      jsonWebTokenOptions: { complete, ignoreNotBefore },
    });
  }

  validate(token: jsonwebtoken.Jwt): AccessClaims | false {
    return readClaims(token) ?? false;
  }

  getPassportInstance() {
    return ownNameRegistry('bearer');
  }
}
