export const accountTypes = ['MANAGER', 'MERCHANT', 'PSP', 'STK', 'ACQUIRER'] as const;

export type AccountType = (typeof accountTypes)[number];

/** Path roles of spec 5.5; INTERNAL is never assigned to an external account (T-27). */
export type Role = 'EXTERNAL' | 'STK' | 'INTERNAL';

/** The caller, as auth-session asserts it to the services behind the gateway. */
export interface Identity {
  /** Username, e.g. `psp-1`. */
  subject: string;
  accountType: AccountType;
  /** managerId, merchantId or pspId; null for STK and ACQUIRER. */
  ownerId: number | null;
  /** Set for ACQUIRER accounts: matched on a merchant's `acquirer`. */
  acquirer: string | null;
  roles: Role[];
}

/** Header in which the gateway hands the identity assertion (ES256 JWT, 30 s) to a service. */
export const identityHeader = 'x-paycode-identity';
/** Correlation id, accepted from clients when well formed, created otherwise. */
export const requestIdHeader = 'x-request-id';
/** How long the caller of an internal call waits for the answer, in milliseconds. A remaining time, because clocks of hosts differ. */
export const deadlineHeader = 'x-deadline-ms';

/** POST auth-session /internal/authorize. */
export interface AuthorizeRequest {
  method: string;
  /** Path and query exactly as the client sent them. */
  path: string;
  /** Every Authorization header line of the request, in order. */
  authorization: string[];
  /** Client address, for guessing limits. */
  address: string;
  requestId: string;
}

/**
 * Allowed: `identity` is the assertion to forward (absent for public paths), `ratePerS` what an operator allows this account per second in place of the
 * default. Refused: send status, headers and body to the client unchanged.
 */
export type AuthorizeAnswer =
  | { allowed: true; identity?: string; ratePerS?: number }
  | { allowed: false; status: 401 | 403 | 404 | 429; headers: Record<string, string>; body: string };
