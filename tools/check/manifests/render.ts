import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments, parse } from 'yaml';
import { Ajv, type ValidateFunction } from 'ajv';
import { writePages } from '../docs/page.ts';
import { generatedManifests } from './generated-manifests.ts';

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [field: string]: unknown;
}

/** Resources of a kustomization folder, rendered offline with the manifests as they are generated now. Throws with kustomize's own message. */
export function kustomize(folder: string): Resource[] {
  writePages(generatedManifests());
  return resourcesOf(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** Objects of a YAML stream; empty documents are none. */
export function resourcesOf(yaml: string): Resource[] {
  return parseAllDocuments(yaml)
    .map(document => document.toJS() as Resource | null)
    .filter(resource => resource !== null);
}

const root = join(import.meta.dirname, '../../..');

/** Resources of a kustomization folder of this repository. */
export function render(folder: string): Resource[] {
  return kustomize(join(root, folder));
}

/** Components on top of the base, as an overlay would use them. */
export function renderWithBase(...components: string[]): Resource[] {
  // Below k8s/, because kustomize does not load from outside of a kustomization's root by absolute path.
  const folder = mkdtempSync(join(root, 'k8s/.render-'));
  const resources = ['../base'];
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources,
    components: components.map(component => `../${component}`),
  };
  try {
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    return render(relative(root, folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Settings of a service, out of the ConfigMap to whose name kustomize adds ten characters; none: empty. */
export function settingsOf(resources: readonly Resource[], service: string): Record<string, string> {
  const map = resources.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.replace(/-[a-z0-9]{10}$/, '') === service,
  );
  return (map?.['data'] ?? {}) as Record<string, string>;
}

/** The name of a resource in messages. */
export function nameOf({ kind, metadata }: Resource): string {
  return `${kind}/${metadata.name}`;
}

/** Of this worker: suites run in parallel, and each writes the manifests that it checks. */
const folder = join(root, `.cache/manifests-${process.env['JEST_WORKER_ID']}`);
const schemaFile = join(root, 'k8s/schemas/operators.yaml');

/** Package with the types of an API group; groups without such a package have a schema in k8s/schemas. */
const packages: [group: RegExp, module: string][] = [
  [/^(v1|apps|batch|policy|networking\.k8s\.io|discovery\.k8s\.io|autoscaling)(\/|$)/, 'kubernetes-models'],
  [/^keda\.sh\//, '@kubernetes-models/keda'],
  [/^monitoring\.coreos\.com\//, '@kubernetes-models/prometheus-operator'],
  [/^external-secrets\.io\//, '@kubernetes-models/external-secrets'],
  [/^gateway\.networking\.k8s\.io\//, '@kubernetes-models/gateway-api'],
];

/**
 * The problems that a strict API server would report: unknown fields, wrong types and values, missing fields. The compiler checks each
 * manifest as a literal of its kind's type, which has every field; other checkers accept unknown fields.
 */
export function typeProblems(resources: readonly Resource[]): string[] {
  const typed = resources.filter(({ apiVersion }) => moduleFor(apiVersion));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, typed.map(asLiteral).join('\n'));
  const options = { extends: '../../tsconfig.base.json', files: ['manifests.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
  const tsc = spawnSync(process.execPath, [join(root, 'node_modules/ts7/bin/tsc'), '-p', folder, '--pretty', 'false'], {
    encoding: 'utf8',
  });
  const problems = tsc.stdout.split('\n').filter(line => line.includes('error TS'));
  if (tsc.status !== 0 && problems.length === 0) throw new Error(`the compiler failed: ${tsc.stdout}${tsc.stderr}`);
  return [...problems.map(problem => withName(problem, typed)), ...schemaProblems(resources)];
}

function moduleFor(apiVersion: string): string | undefined {
  const found = packages.find(([group]) => group.test(apiVersion))?.[1];
  return found && `${found}/${apiVersion}`;
}

/** One line per resource, so that the line of a message names it. */
function asLiteral(resource: Resource, index: number): string {
  const type = `import('${moduleFor(resource.apiVersion)}').I${resource.kind}`;
  return `export const _${index}: ${type} = ${JSON.stringify(resource)};`;
}

function withName(problem: string, resources: readonly Resource[]): string {
  const line = Number(/\((\d+),/.exec(problem)?.[1] ?? 0);
  const resource = resources[line - 1];
  return `${resource ? nameOf(resource) : '?'}: ${problem.replace(/^.*error TS\d+: /, '').slice(0, 300)}`;
}

function schemaProblems(resources: readonly Resource[]): string[] {
  return resources.filter(({ apiVersion }) => !moduleFor(apiVersion)).flatMap(resource => operatorProblems(resource));
}

const validators = new Map<string, ValidateFunction>();

function operatorProblems(resource: Resource): string[] {
  const key = `${resource.apiVersion}/${resource.kind}`;
  const validate = validators.get(key) ?? compile(key);
  if (!validate) return [`${nameOf(resource)}: nobody knows ${key}`];
  validators.set(key, validate);
  if (validate(resource)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${nameOf(resource)}${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function compile(key: string): ValidateFunction | undefined {
  const { kinds, ...shared } = parse(readFileSync(schemaFile, 'utf8')) as { kinds: Record<string, object>; $defs: object };
  return kinds[key] && new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile({ ...shared, ...kinds[key] });
}
