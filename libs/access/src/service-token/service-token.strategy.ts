import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type jsonwebtoken from 'jsonwebtoken';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { ownNameRegistry } from '../passport/own-name';
import { type InternalCaller, ServiceTokenKeys } from './service-token-keys';
import { tokenAlgorithm } from './token-keys';

/** Verifies the Bearer token of an internal call (ES256 only, T-08); the result is the caller. */
@Injectable()
export class ServiceTokenStrategy extends PassportStrategy(Strategy) {
  declare name: string;

  constructor(private readonly keys: ServiceTokenKeys) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      // A provider may return a KeyObject; a key as text would be imported again for every token.
      secretOrKeyProvider: (_request, token: string, done) => done(null, keys.keyFor(token) as unknown as Buffer),
      algorithms: [tokenAlgorithm],
      audience: keys.audiences,
      jsonWebTokenOptions: { complete: true },
    });
  }

  validate(token: jsonwebtoken.Jwt): InternalCaller | false {
    return this.keys.callerOf(token) ?? false;
  }

  getPassportInstance() {
    return ownNameRegistry('service-token');
  }
}
