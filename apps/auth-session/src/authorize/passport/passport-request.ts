import type { RequestOrigin } from '../authorize.ports';

/** Replaces the HTTP request for the strategies: it holds the one chosen credential in canonical form. */
export interface PassportRequest {
  headers: { authorization: string };
  origin: RequestOrigin;
}
