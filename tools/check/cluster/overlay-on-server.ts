import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@paycode/service-runtime/testing';
import type { Resource } from '../manifests/render';
import { ControlPlane, type ProgramResult } from './control-plane';
import { type Definition, operatorDefinitions } from './kubernetes-programs';

/** Kinds that every API server knows. */
const builtIn = /^(v1|apps\/v1|batch\/v1|policy\/v1|networking\.k8s\.io\/v1|discovery\.k8s\.io\/v1|autoscaling\/v2)$/;

export interface PodFound {
  metadata: { name: string; labels: Record<string, string> };
}

/** Built by `npm run prove -- cluster` before the suites start. */
export function programs(): string {
  const folder = process.env['PAYCODE_KUBERNETES_PROGRAMS'];
  if (!folder) throw new Error('run this by npm run prove -- cluster, which builds the programs');
  return folder;
}

/** An etcd data folder with the operators' definitions in it: each overlay begins with a copy. */
export async function clusterTemplate(resources: readonly Resource[]): Promise<string> {
  const wanted = new Set(resources.filter(({ apiVersion }) => !builtIn.test(apiVersion)).map(kindOf));
  const definitions = operatorDefinitions().filter(({ spec }) =>
    spec.versions.some(({ name, served }) => served && wanted.has(`${spec.group}/${name} ${spec.names.kind}`)),
  );
  const plane = await ControlPlane.start(programs());
  const folder = join(mkdtempSync(join(tmpdir(), 'paycode-template-')), 'etcd-data');
  try {
    // They are too long for the annotation that `apply` leaves without --server-side.
    const applied = plane.kubectl(['apply', '--server-side', '-f', '-'], definitions);
    if (applied.status !== 0) throw new Error(applied.complaints.join('\n'));
    for (const definition of definitions) await untilEstablished(plane, definition);
  } finally {
    await plane.stop(folder);
  }
  return folder;
}

async function untilEstablished(plane: ControlPlane, { metadata }: Definition): Promise<void> {
  await eventually(async () => {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${metadata.name}`;
    const { status } = await plane.api.get<{ status: { conditions?: { type: string; status: string }[] } }>(path);
    const conditions = status.conditions ?? [];
    if (!conditions.some(condition => condition.type === 'Established' && condition.status === 'True'))
      throw new Error(`${metadata.name} is not established`);
  });
}

function kindOf({ apiVersion, kind }: Resource): string {
  return `${apiVersion} ${kind}`;
}

/** Errors that a careful reader of the manifests would report before `kubectl apply`; throws nothing, so that all of it is seen at once. */
export function apply(plane: ControlPlane, resources: readonly Resource[]): ProgramResult {
  return plane.kubectl(['apply', '--validate=strict', '-f', '-'], resources);
}

/** Pods that a Deployment or Job made, once there are `count`. */
export async function podsOf(plane: ControlPlane, selector: string, count: number): Promise<PodFound[]> {
  const path = `/api/v1/namespaces/paycode/pods?labelSelector=${encodeURIComponent(selector)}`;
  return eventually(async () => {
    const { items } = await plane.api.get<{ items: PodFound[] }>(path);
    if (items.length !== count) throw new Error(`${selector} has ${items.length} pods, and ${count} are expected`);
    return items;
  });
}

/** A Deployment or a ReplicaSet. */
export interface Workload extends Resource {
  spec: { template: { spec: { containers: Container[] } } };
}
interface Container {
  env?: { name: string; value?: string }[];
  envFrom?: { configMapRef: { name: string } }[];
}

/** ConfigMaps that a ReplicaSet of any revision names, and that are gone: its pods could not start again. */
export async function lostSettings(plane: ControlPlane): Promise<string[]> {
  const { items } = await plane.api.get<{ items: Workload[] }>('/apis/apps/v1/namespaces/paycode/replicasets');
  const maps = await plane.api.get<{ items: Resource[] }>('/api/v1/namespaces/paycode/configmaps');
  const named = items.flatMap(({ spec }) => spec.template.spec.containers.flatMap(({ envFrom = [] }) => envFrom));
  const names = named.map(({ configMapRef }) => configMapRef.name);
  return names.filter(name => !maps.items.some(({ metadata }) => metadata.name === name));
}

/** Undoes the last roll-out of a service, deletes its pods, and returns those that its ReplicaSet makes again. */
export async function undoneRollOut(plane: ControlPlane, name: string, count: number): Promise<PodFound[]> {
  expect(plane.kubectl(['-n', 'paycode', 'rollout', 'undo', `deployment/${name}`])).toMatchObject({ status: 0 });
  plane.kubectl(['-n', 'paycode', 'delete', 'pod', '-l', `app.kubernetes.io/name=${name}`, '--wait=false']);
  return podsOf(plane, `app.kubernetes.io/name=${name}`, count);
}

/** As a kubelet would report it. */
export async function markReady(plane: ControlPlane, pod: PodFound): Promise<void> {
  const path = `/api/v1/namespaces/paycode/pods/${pod.metadata.name}/status`;
  const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
  const { status } = await plane.api.call(path, { method: 'PATCH', type: 'application/merge-patch+json', body });
  if (status !== 200) throw new Error(`${pod.metadata.name} cannot be marked: ${status}`);
}

/** 201: it goes. 429: its disruption budget keeps it. */
export async function evict(plane: ControlPlane, pod: PodFound): Promise<number> {
  const { name } = pod.metadata;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'paycode' } };
  return (await plane.api.call(`/api/v1/namespaces/paycode/pods/${name}/eviction`, { method: 'POST', body })).status;
}

/** Once the budget has counted the pods that are ready. */
export async function untilBudgetCounts(plane: ControlPlane, name: string, healthy: number): Promise<void> {
  await eventually(async () => {
    const path = `/apis/policy/v1/namespaces/paycode/poddisruptionbudgets/${name}`;
    const { status } = await plane.api.get<{ status?: { currentHealthy: number } }>(path);
    if (status?.currentHealthy !== healthy) throw new Error(`${name} counts ${status?.currentHealthy} of ${healthy} pods`);
  });
}
