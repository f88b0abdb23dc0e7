import { createPublicKey } from 'node:crypto';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { JwkSet } from '@paycode/access';
import { exportRsaPublicKey } from '@paycode/crypto';
import { InternalOrigin, type Origin } from '../../audit';
import { ServiceKeys, type SigningKeyIds } from '../service-keys';

@Controller('internal')
export class KeysController {
  constructor(private readonly keys: ServiceKeys) {}

  /** Public keys of identity assertions; nothing secret, so any service may read them without a token. */
  @Get('jwks')
  async jwks(): Promise<JwkSet> {
    // Read anew: the asker may have met a key another replica has just begun to sign with.
    const keys = await this.keys.identity.fresh();
    return {
      keys: keys.map(({ kid, key }) => ({ ...createPublicKey(key).export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' })),
    };
  }

  /** The key clients encrypt their challenge to; handed to them out of band (5.3). */
  @Get('service-public-key')
  async servicePublicKey(): Promise<{ publicKey: string }> {
    return { publicKey: exportRsaPublicKey((await this.keys.challenge.current()).key) };
  }

  /** New signing keys; those of before verify until what they signed has expired. 409 while that is so for a rotation of before. */
  @Post('keys/rotate')
  @HttpCode(200)
  rotate(@InternalOrigin() origin: Origin): Promise<SigningKeyIds> {
    return this.keys.rotateSigningKeys(origin);
  }

  /** New signing keys at once, for when one is stolen: those of before verify nothing, and every session ends. */
  @Post('keys/replace')
  @HttpCode(200)
  replace(@InternalOrigin() origin: Origin): Promise<SigningKeyIds> {
    return this.keys.replaceSigningKeys(origin);
  }
}
