import type { RequestOrigin } from '../authorize.ports';

/** What the strategies see in place of an HTTP request: the one credential that counts, in canonical form. */
export interface PassportRequest {
  headers: { authorization: string };
  origin: RequestOrigin;
}
