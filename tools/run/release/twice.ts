import type { Subject } from './release-texts.ts';

/** Artefacts with another digest in the second build, and artefacts of one build only; empty when both builds are the same. */
export function differencesOf(first: readonly Subject[], second: readonly Subject[]): string[] {
  const again = new Map(second.map(({ name, sha256 }) => [name, sha256]));
  const changed = first.filter(({ name, sha256 }) => again.get(name) !== sha256);
  const names = new Set(first.map(({ name }) => name));
  return [
    ...changed.map(({ name, sha256 }) => `${name}: ${sha256}, then ${again.get(name) ?? 'none'}`),
    ...second.filter(({ name }) => !names.has(name)).map(({ name, sha256 }) => `${name}: none, then ${sha256}`),
  ];
}

/** A zone in which the date is another one, and a language that sorts and writes numbers in another way. */
const elsewhere = { TZ: 'Pacific/Kiritimati', LC_ALL: 'sv_SE.UTF-8', LANG: 'sv_SE.UTF-8' };

/** The output of `build` as on another machine: another zone and language, and files that only their owner may read. */
export function builtElsewhere<T>(build: () => T): T {
  const before = { ...process.env };
  const umask = process.umask(0o077);
  Object.assign(process.env, elsewhere);
  try {
    return build();
  } finally {
    process.umask(umask);
    for (const name of Object.keys(elsewhere)) delete process.env[name];
    Object.assign(process.env, before);
  }
}
