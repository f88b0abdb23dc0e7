import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type jsonwebtoken from 'jsonwebtoken';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { ownNameRegistry } from '../passport/own-name';
import { ServiceTokenKeys } from './service-token';

/** Verifies the Bearer token of an internal call (HS256 only, T-08); the result is the caller's name. */
@Injectable()
export class ServiceTokenStrategy extends PassportStrategy(Strategy) {
  declare name: string;

  constructor(private readonly keys: ServiceTokenKeys) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      // A provider, because it may hand over a KeyObject: strings are imported anew for every token, 50 times slower.
      secretOrKeyProvider: (_request, token: string, done) => done(null, keys.keyFor(token) as unknown as Buffer),
      algorithms: ['HS256'],
      audience: keys.audiences,
      jsonWebTokenOptions: { complete: true },
    });
  }

  validate(token: jsonwebtoken.Jwt): string | false {
    return this.keys.callerOf(token) ?? false;
  }

  getPassportInstance() {
    return ownNameRegistry('service-token');
  }
}
