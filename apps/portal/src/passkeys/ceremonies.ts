import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type KeyRing, PayloadSealer } from '@paycode/crypto';
import { DomainError } from '@paycode/service-runtime';
import { type Ceremony, ceremonyMs, ceremonyOf, isDue } from './domain/ceremony';

const challengeBytes = 32;

/** Ceremonies on their way through a browser: it can neither read nor change them. */
@Injectable()
export class Ceremonies {
  private readonly sealer: PayloadSealer;

  constructor(keys: KeyRing) {
    this.sealer = new PayloadSealer(keys);
  }

  begin(of: Pick<Ceremony, 'purpose' | 'personId'>): { sealed: string; challenge: Buffer } {
    const challenge = randomBytes(challengeBytes);
    const ceremony: Ceremony = {
      ...of,
      challenge: challenge.toString('base64url'),
      expiresAtMs: Date.now() + ceremonyMs,
    };
    return { sealed: this.sealer.seal(JSON.stringify(ceremony)), challenge };
  }

  /** @throws DomainError 400 for one that we did not begin, of another purpose or person, or that has run out */
  resume(sealed: string, wanted: Pick<Ceremony, 'purpose' | 'personId'>): Ceremony {
    const ceremony = this.read(sealed);
    if (!ceremony || !isDue(ceremony, wanted, Date.now())) throw begunAnew();
    return ceremony;
  }

  private read(sealed: string): Ceremony | undefined {
    try {
      return ceremonyOf(this.sealer.openText(sealed));
    } catch (cause) {
      throw begunAnew(cause);
    }
  }
}

/** A challenge that was answered is over too. */
export function begunAnew(cause?: unknown): DomainError {
  const message = 'please begin anew: this question to your passkey has run out, or was answered before';
  return new DomainError({ status: 400, reason: 'NOT_BEGUN', message, cause });
}
