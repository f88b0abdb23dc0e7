import type { ServiceName } from './ports';
import settings from './service-settings.json';

type Env = Record<string, string | undefined>;

/** What Node and the operating system read: where things are, which language and time zone, which authorities are trusted. */
const systemNames = ['HOME', 'LANG', 'LC_ALL', 'NODE_EXTRA_CA_CERTS', 'PATH', 'TMPDIR', 'TZ', 'UV_THREADPOOL_SIZE'];
/** Set by the platform only. */
const platformNames = ['NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX'];

/**
 * The environment of a service: what it declares in its `config/env.ts`, and nothing else of the shell that started the platform (credentials
 * of other programs are none of its business). What the platform gives wins over what the shell has, also over a secret's other spelling.
 */
export function serviceEnvironment(name: ServiceName, { inherited, given }: { inherited: Env; given: Env }): Env {
  const declared = new Set<string>(settings[name]);
  const fromShell = pick(inherited, key => (declared.has(key) && !isGivenAsFile(key, given)) || systemNames.includes(key));
  return { ...fromShell, ...pick(given, key => declared.has(key) || platformNames.includes(key)) };
}

function isGivenAsFile(key: string, given: Env): boolean {
  return given[`${key}_FILE`] !== undefined;
}

function pick(source: Env, isWanted: (key: string) => boolean): Env {
  return Object.fromEntries(Object.entries(source).filter(([key, value]) => value !== undefined && isWanted(key)));
}
