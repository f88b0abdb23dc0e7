/**
 * CycloneDX bills of materials: of the workspace, as package-lock.json has it, and of an image, as it is laid out. npm writes the components
 * (`npm sbom`); what differs from run to run or from machine to machine is taken out, so that the same input gives the same bytes.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { supplyChainPolicy } from './supply-chain.policy.ts';

const root = join(import.meta.dirname, '../../..');

/** Where an image has its own, below /app. */
export const sbomFile = 'sbom.cdx.json';

interface Component {
  'bom-ref': string;
  type: string;
  name: string;
  version: string;
  purl: string;
  licenses?: ({ license: { id: string } } | { expression: string })[];
  [other: string]: unknown;
}

export interface Bom {
  bomFormat: 'CycloneDX';
  specVersion: string;
  version: number;
  metadata: { lifecycles: { phase: string }[]; tools: object[]; component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/** Name and version of a package in package-lock.json. */
export interface LockedName {
  name: string;
  version: string;
}

/** Every package of the workspace, those of development included. */
export function workspaceBom(): Bom {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const text = execFileSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1_048_576,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { metadata, components, dependencies, ...rest } = JSON.parse(text) as Bom & { serialNumber?: string };
  delete rest.serialNumber;
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const component = { ...metadata.component, name: 'paycode', version };
  return {
    ...rest,
    metadata: { lifecycles: metadata.lifecycles, tools: [{ vendor: 'npm', name: 'cli' }], component },
    components: components.map(withLicence).sort(byRef),
    dependencies: sortedDependencies(dependencies, () => true),
  };
}

/** The bill of materials of the app's image: these packages and no others. @throws when the workspace does not know one of them */
export function imageBom(workspace: Bom, app: string, packages: readonly LockedName[]): Bom {
  const refs = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const components = workspace.components.filter(component => refs.has(component['bom-ref']));
  const known = new Set(components.map(component => component['bom-ref']));
  const missing = [...refs].filter(ref => !known.has(ref));
  if (missing.length > 0) throw new Error(`npm sbom does not know ${missing.join(', ')}`);
  const { version } = workspace.metadata.component;
  const own = `paycode-${app}@${version}`;
  const component: Component = { 'bom-ref': own, type: 'application', name: `paycode-${app}`, version, purl: `pkg:npm/${own}` };
  return {
    ...workspace,
    metadata: { ...workspace.metadata, lifecycles: [{ phase: 'build' }], component },
    components,
    dependencies: [
      { ref: own, dependsOn: [...known].sort() },
      ...sortedDependencies(workspace.dependencies, ref => known.has(ref)),
    ],
  };
}

/** Names and versions of what lies at these places of the lock file. */
export function packagesAt(places: readonly string[]): LockedName[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { name?: string; version: string }>;
  };
  return places.map(place => {
    const { name = place.replace(/^.*node_modules\//, ''), version } = packages[place]!;
    return { name, version };
  });
}

export function textOf(bom: Bom): string {
  return `${JSON.stringify(bom, null, 1)}\n`;
}

/** Adds the decided licence to the few packages without one in the lock file. */
function withLicence(component: Component): Component {
  const decided = supplyChainPolicy.decidedLicences[component['bom-ref']];
  return component.licenses || !decided ? component : { ...component, licenses: [{ license: { id: decided.licence } }] };
}

function sortedDependencies(dependencies: Bom['dependencies'], isKept: (ref: string) => boolean): Bom['dependencies'] {
  return dependencies
    .filter(({ ref }) => isKept(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept).sort() }))
    .sort((a, b) => (a.ref < b.ref ? -1 : 1));
}

function byRef(a: Component, b: Component): number {
  return a['bom-ref'] < b['bom-ref'] ? -1 : 1;
}
