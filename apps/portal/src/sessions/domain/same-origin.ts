const safe = new Set(['GET', 'HEAD']);

export interface Sender {
  method: string;
  origin: string | undefined;
  /** Sec-Fetch-Site. */
  site: string | undefined;
}

/** Whether a page of `ownOrigin` sent this request. A GET or HEAD may lack an Origin header: no other site can read the answer. */
export function isFromOwnPages({ method, origin, site }: Sender, ownOrigin: string): boolean {
  if (site !== undefined && site !== 'same-origin' && !(safe.has(method) && site === 'none')) return false;
  return safe.has(method) ? origin === undefined || origin === ownOrigin : origin === ownOrigin;
}
