import type { Route } from '@paycode/dto';

/** Connections that serve one merchant alone, because its server tells it by a credential or by the platform's certificate. */
export interface OwnLine {
  merchantId: number;
  /** Whether they show the platform's client certificate. */
  hasClientCertificate: boolean;
}

/** undefined: the merchant shares the connections of its origin. */
export function ownLineOf({ merchantId, sealedCredential, hasClientCertificate }: Route): OwnLine | undefined {
  return sealedCredential || hasClientCertificate ? { merchantId, hasClientCertificate } : undefined;
}

/** Name of the connections to an origin. A URL has no space, so no origin is called like a merchant's own line. */
export function lineNameOf(origin: string, own: OwnLine | undefined): string {
  return own ? `${origin} of ${own.merchantId}${own.hasClientCertificate ? ' with certificate' : ''}` : origin;
}
