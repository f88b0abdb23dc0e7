import type { SupplyChainPolicy } from '../../run/images/supply-chain.policy.ts';
/** Rules of the lock file. Each has a seeded violation. */
export const supplyChainRules = ['licence', 'install-script', 'integrity', 'resolved', 'unused'] as const;

export interface SupplyChainProblem {
  rule: (typeof supplyChainRules)[number];
  text: string;
}

export interface LockEntry {
  /** Of the package, where it lies under another name. */
  name?: string;
  version?: string;
  license?: string;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
  dev?: boolean;
}

export interface LockedWorkspace {
  lock: { packages: Readonly<Record<string, LockEntry>> };
  manifest: { allowScripts?: Readonly<Record<string, boolean>> };
}

interface LockedPackage extends LockEntry {
  place: string;
  name: string;
}

/** Packages that the policy does not allow, and entries of the policy that no package needs any more. */
export function supplyChainProblems({ lock, manifest }: LockedWorkspace, policy: SupplyChainPolicy): SupplyChainProblem[] {
  const packages = Object.entries(lock.packages)
    .filter(([place]) => place !== '')
    .map(([place, entry]): LockedPackage => ({ ...entry, place, name: entry.name ?? place.replace(/^.*node_modules\//, '') }));
  return [
    ...packages.flatMap(item => licenceProblems(item, policy)),
    ...packages.filter(item => item.hasInstallScript).flatMap(item => scriptProblems(item.name, { manifest, policy })),
    ...packages
      .filter(({ integrity }) => !isStrong(integrity))
      .map(item => problem('integrity', item, 'has no SHA-512 integrity')),
    ...packages
      .filter(({ resolved }) => resolved !== undefined)
      .map(item => problem('resolved', item, 'names the host it came from: any mirror must work')),
    ...unusedDecisions(packages, { manifest, policy }),
  ];
}

/**
 * Whether the SPDX expression can be met with these licences: all sides of AND, one side of OR. It accepts brackets, AND and OR only; other
 * expressions need a decision.
 */
function isLicenceAllowed(expression: string, licences: readonly string[]): boolean {
  const bracketed = /^\(([^()]*)\)$/.exec(expression.trim());
  const text = bracketed ? bracketed[1]! : expression.trim();
  const alternatives = text.split(/ OR /);
  if (alternatives.length > 1) return alternatives.some(part => isLicenceAllowed(part, licences));
  return text.split(/ AND /).every(id => licences.includes(id));
}

/** Old packages name licences in words of their own, such as MIT/X11, which a bill of materials leaves out. No SPDX id has a slash. */
function spdxOf({ license }: LockEntry): string | undefined {
  return license?.includes('/') ? undefined : license;
}

function licenceProblems(item: LockedPackage, policy: SupplyChainPolicy): SupplyChainProblem[] {
  const decided = policy.decidedLicences[`${item.name}@${item.version}`]?.licence;
  const licence = spdxOf(item) ?? decided;
  const allowed = item.dev ? [...policy.licences, ...policy.developmentLicences] : policy.licences;
  if (licence === undefined) return [problem('licence', item, 'names no SPDX licence: read its files and decide')];
  return isLicenceAllowed(licence, allowed) ? [] : [problem('licence', item, `has the licence ${licence}, which is not allowed`)];
}

type Agreement = { manifest: LockedWorkspace['manifest']; policy: SupplyChainPolicy };

function scriptProblems(name: string, { manifest, policy }: Agreement): SupplyChainProblem[] {
  const decided = Object.hasOwn(policy.installScripts, name) ? policy.installScripts[name] : undefined;
  if (!decided) return [{ rule: 'install-script', text: `${name} runs a script when it is installed: read it and decide` }];
  if (manifest.allowScripts?.[name] === decided.runs) return [];
  return [{ rule: 'install-script', text: `${name}: allowScripts of package.json must say ${decided.runs}` }];
}

/** A decision without a package would silently accept a later package of that name. */
function unusedDecisions(packages: readonly LockedPackage[], { manifest, policy }: Agreement): SupplyChainProblem[] {
  const withoutLicence = new Set(packages.filter(item => !spdxOf(item)).map(({ name, version }) => `${name}@${version}`));
  const withScript = new Set(packages.filter(item => item.hasInstallScript).map(({ name }) => name));
  const scripts = [...Object.keys(policy.installScripts), ...Object.keys(manifest.allowScripts ?? {})];
  const unused = [
    ...Object.keys(policy.decidedLicences).filter(key => !withoutLicence.has(key)),
    ...new Set(scripts.filter(name => !withScript.has(name))),
  ];
  return unused.map(name => ({ rule: 'unused', text: `${name} is decided on, but nothing in package-lock.json needs it` }));
}

function isStrong(integrity: string | undefined): boolean {
  return integrity?.startsWith('sha512-') ?? false;
}

function problem(rule: SupplyChainProblem['rule'], { place, version }: LockedPackage, what: string): SupplyChainProblem {
  return { rule, text: `${place} (${version}) ${what}` };
}
