import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { nameOf, type Resource } from './render';

const root = join(__dirname, '../../..');
const folder = join(root, '.cache/manifests');
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
