import { KeyRing, PayloadSealer } from '@paycode/crypto';
import { NotificationSealer } from './transactions.ports';

/** Compact JWE under the platform data key (T-16). */
export class JweNotificationSealer extends NotificationSealer {
  private readonly sealer: PayloadSealer;

  /** `payloadKeys`: `kid:base64,kid:base64`, the first seals. */
  constructor(payloadKeys: string) {
    super();
    this.sealer = new PayloadSealer(KeyRing.parse(payloadKeys));
  }

  override seal(json: string): string {
    return this.sealer.seal(json);
  }

  override openText(jwe: string): string {
    return this.sealer.openText(jwe);
  }
}
