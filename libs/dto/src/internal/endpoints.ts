/** A pause of deliveries to one endpoint. Instants are ISO 8601 UTC. */
export interface EndpointPause {
  pauseId: number;
  /** Origin of URLs of merchants: `https://shop.example:8443`; a relay of a sandbox is one of its own. */
  endpoint: string;
  /** Whose URL named the endpoint. Others may have theirs there. */
  merchantId: number;
  reason: string;
  pausedBy: string;
  pausedAt: string;
  /** When it ends by itself. */
  endsAt: string;
  /** Ended by somebody before that; null: not. */
  endedAt: string | null;
  endedBy: string | null;
}

/** POST webhook-dispatcher /internal/endpoints, for each merchant of `{merchantIds}`. */
export interface MerchantEndpoint {
  merchantId: number;
  /** null: no URL is set, or it cannot be read now. */
  endpoint: string | null;
  /** In effect now; null: deliveries go on. */
  pause: EndpointPause | null;
}

/** GET webhook-dispatcher /internal/endpoints/certificates: merchants whose server showed a certificate that ends within two weeks. */
export interface EndingCertificate {
  merchantId: number;
  /** ISO 8601 UTC. */
  endsAt: string;
}

/** Body of POST webhook-dispatcher /internal/endpoints/pauses. */
export interface EndpointPauseRequest {
  /** Whose endpoint. */
  merchantId: number;
  durationS: number;
  reason: string;
}

/** Calls of the portal for people on call: POST webhook-dispatcher /internal/portal/endpoints/{operation}. */
export type PortalEndpointOperation = 'pause' | 'resume';

export interface PortalResumeRequest {
  pauseId: number;
}
