/** Where the programs are that Svix runs with. */
import { builtIn, findPrograms, installed, systemFolders } from './found-programs.ts';

export interface SvixPrograms {
  /** API, worker and migrations. */
  server: string;
  redis: string;
}

/** `folder` holds what Svix's repository builds. @throws naming each program that is missing, and how to get it */
export function findSvix(folder: string, system: readonly string[] = systemFolders): SvixPrograms {
  return findPrograms('--svix', {
    server: ['svix-server', builtIn(folder, 'cargo build --release in its folder server')],
    redis: ['redis-server', installed(system, 'Svix', 'redis-server')],
  });
}
