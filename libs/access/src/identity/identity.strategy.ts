import { PassportStrategy } from '@nestjs/passport';
import { type Identity, identityHeader } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import jsonwebtoken from 'jsonwebtoken';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { ownNameRegistry } from '../passport/own-name';
import { assertionAlgorithm, assertionIssuer, identityOf } from './identity-assertion';
import { IdentityKeys } from './identity-keys';

/** Verifies offline that the identity assertion of a request was made for this very request (ES256 only, T-08); the result is the Identity. */
export class IdentityStrategy extends PassportStrategy(Strategy) {
  declare name: string;

  constructor(keys: IdentityKeys, service: string) {
    super({
      jwtFromRequest: ExtractJwt.fromHeader(identityHeader),
      secretOrKeyProvider: (_request, token: string, done) => void provideKey(keys, token, done),
      algorithms: [assertionAlgorithm],
      issuer: assertionIssuer,
      audience: service,
      passReqToCallback: true,
      jsonWebTokenOptions: { complete: true },
    });
  }

  validate({ method, url }: { method: string; url: string }, token: jsonwebtoken.Jwt): Identity | false {
    return identityOf(token, { method, target: url }) ?? false;
  }

  getPassportInstance() {
    return ownNameRegistry('identity');
  }
}

type Done = (error: unknown, key?: string | Buffer) => void;

async function provideKey(keys: IdentityKeys, token: string, done: Done): Promise<void> {
  try {
    const kid = jsonwebtoken.decode(token, { complete: true })?.header.kid;
    done(null, (kid === undefined ? undefined : await keys.find(kid)) as unknown as Buffer);
  } catch (cause) {
    // This is not the caller's fault, so it is no 401; without keys every request is refused.
    done(new DomainError({ status: 503, reason: 'IDENTITY_KEYS', message: 'Service Unavailable', cause }));
  }
}
