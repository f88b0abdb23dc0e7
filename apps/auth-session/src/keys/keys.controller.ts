import { createPublicKey } from 'node:crypto';
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import type { JwkSet } from '@paycode/access';
import { exportRsaPublicKey } from '@paycode/crypto';
import { InternalOrigin } from '../audit/request-origin';
import type { Origin } from '../audit/security-log';
import { ServiceKeys, type SigningKeyIds } from './service-keys';

@Controller('internal')
export class KeysController {
  constructor(private readonly keys: ServiceKeys) {}

  /** Public keys of identity assertions. They are not secret, so any service may read them without a token. */
  @Get('jwks')
  async jwks(): Promise<JwkSet> {
    // Reads them from the store: the caller may have seen a key that another replica has just begun to sign with.
    const keys = await this.keys.identity.fresh();
    return {
      keys: keys.map(({ kid, key }) => ({ ...createPublicKey(key).export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' })),
    };
  }

  /** The key that clients encrypt their challenge to; support gives it to them out of band (5.3). */
  @Get('service-public-key')
  async servicePublicKey(): Promise<{ publicKey: string }> {
    return { publicKey: exportRsaPublicKey((await this.keys.challenge.current()).key) };
  }

  /**
   * Makes new signing keys; the previous ones verify until the tokens that they signed have expired. 409 while that holds for an
   * earlier rotation.
   */
  @Post('keys/rotate')
  @HttpCode(200)
  rotate(@InternalOrigin() origin: Origin): Promise<SigningKeyIds> {
    return this.keys.rotateSigningKeys(origin);
  }

  /** Replaces signing keys at once, for a stolen key: the old ones verify no more, and every session ends. */
  @Post('keys/replace')
  @HttpCode(200)
  replace(@InternalOrigin() origin: Origin): Promise<SigningKeyIds> {
    return this.keys.replaceSigningKeys(origin);
  }
}
