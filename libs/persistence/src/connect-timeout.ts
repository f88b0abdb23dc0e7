const defaultS = 5;
const maxS = 600;

/**
 * How long opening a connection may take, waiting for a free one of the pool included, in milliseconds: `connect_timeout` of the URL, in
 * whole seconds from 1 to 600 as in libpq, 5 without it. @throws Error that names the parameter, never the URL, which holds a password
 */
export function connectTimeoutMsOf(url: string): number {
  const text = /[?&]connect_timeout=([^&#]*)/.exec(url)?.[1] ?? String(defaultS);
  const seconds = Number(text);
  if (!/^\d{1,3}$/.test(text) || seconds < 1 || seconds > maxS) {
    throw new Error(`connect_timeout of the database URL: expected whole seconds from 1 to ${maxS}`);
  }
  return seconds * 1_000;
}
