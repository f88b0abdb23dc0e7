import { type KeyRing, PayloadSealer } from '@paycode/crypto';

/** Secrets of our clients at providers, and what a browser keeps for us between two steps, sealed. */
export class ClientSecrets {
  private readonly sealer: PayloadSealer;

  constructor(keys: KeyRing) {
    this.sealer = new PayloadSealer(keys);
  }

  seal(text: string): string {
    return this.sealer.seal(text);
  }

  /** @throws SealedPayloadError */
  open(sealed: string): string {
    return this.sealer.openText(sealed);
  }
}
