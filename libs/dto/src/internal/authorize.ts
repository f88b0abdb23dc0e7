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
 * Allowed: `identity` is the assertion to forward (absent for public paths). Refused: send status, headers and body to the client
 * unchanged.
 */
export type AuthorizeAnswer =
  | { allowed: true; identity?: string }
  | { allowed: false; status: 401 | 403 | 404 | 429; headers: Record<string, string>; body: string };
