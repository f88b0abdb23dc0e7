import { homedir } from 'node:os';
import { join } from 'node:path';

/** The user's folder for what is made again at need: a control plane takes minutes to build, and serves every checkout. */
export function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'paycode');
}
