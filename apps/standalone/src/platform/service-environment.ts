import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from './ports';

type Env = Record<string, string | undefined>;

/** Variables of Node and the operating system: paths, language, time zone, trusted authorities. */
const systemNames = ['HOME', 'LANG', 'LC_ALL', 'NODE_EXTRA_CA_CERTS', 'PATH', 'TMPDIR', 'TZ', 'UV_THREADPOOL_SIZE'];
/** Set by the platform only. */
const platformNames = ['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_'];
/** What a service has of the environment beside its settings. */
export const processVariables: readonly string[] = [...systemNames, ...platformNames];

/** The variables that each service reads, as the build wrote them beside this program. */
export function declaredSettings(appsFolder: string): Record<ServiceName, string[]> {
  return JSON.parse(readFileSync(join(appsFolder, 'standalone/service-settings.json'), 'utf8')) as Record<ServiceName, string[]>;
}

/**
 * The environment of a service: the settings that its `config/env.ts` declares, and no other variable of the shell, which may have
 * credentials of other programs. A value of the platform overrides one of the shell, also when the shell uses the `_FILE` spelling of a
 * secret or the reverse.
 */
export function serviceEnvironment(settings: readonly string[], { inherited, given }: { inherited: Env; given: Env }): Env {
  const declared = new Set(settings);
  const fromShell = pick(inherited, key => (declared.has(key) && !isGivenAsFile(key, given)) || systemNames.includes(key));
  return { ...fromShell, ...pick(given, key => declared.has(key) || platformNames.includes(key)) };
}

function isGivenAsFile(key: string, given: Env): boolean {
  return given[`${key}_FILE`] !== undefined;
}

function pick(source: Env, isWanted: (key: string) => boolean): Env {
  return Object.fromEntries(Object.entries(source).filter(([key, value]) => value !== undefined && isWanted(key)));
}
