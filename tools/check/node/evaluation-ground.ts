import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@paycode/service-runtime/testing';
import { readCallerTls } from '../../../libs/platform-client/src/http/mutual-tls';
import { PlatformConnection } from '../../../libs/platform-client/src/platform-connection';
import { ControlPlane } from '../cluster/control-plane';
import { prepareMachine } from './machine-network';
import { NodeMachine } from './node-machine';
import type { NodePrograms } from './node-programs';
import { nodeName } from './node-settings';

const root = join(__dirname, '../../..');
const overlay = join(root, 'k8s/overlays/evaluation');
const namespace = 'paycode';
const askEveryMs = 500;

interface Programs extends NodePrograms {
  plane: string;
  images: string;
  controlGroup: string;
}
interface PodList {
  items: {
    metadata: { name: string; deletionTimestamp?: string };
    spec: { nodeName?: string };
    status: { phase: string; containerStatuses?: { containerID?: string; ready: boolean; restartCount: number }[] };
  }[];
}
interface Deployment {
  metadata: { generation: number };
  spec: { replicas: number };
  status: { observedGeneration: number; updatedReplicas?: number; availableReplicas?: number; replicas?: number };
}
export type Pod = PodList['items'][number];

/** @throws Error without the command that makes them */
export function programsOfRun(): Programs {
  const text = process.env['PAYCODE_NODE_PROGRAMS'];
  if (!text) throw new Error('run this by npm run test:node, which makes programs, images and namespaces');
  return JSON.parse(text) as Programs;
}

/** A control plane with one node, and the evaluation overlay as a person applies it. */
export class EvaluationGround {
  private constructor(
    readonly folder: string,
    readonly plane: ControlPlane,
    readonly node: NodeMachine,
  ) {}

  static async start(): Promise<EvaluationGround> {
    const programs = programsOfRun();
    const folder = mkdtempSync(join(tmpdir(), 'paycode-node-'));
    prepareMachine(folder);
    const plane = await ControlPlane.start(programs.plane, undefined, {
      controllers: ['*', '-nodeipam'],
      apiFlags: ['--kubelet-preferred-address-types=InternalIP'],
    });
    const node = new NodeMachine({ folder, programs, kubeconfig: plane.kubeconfig, controlGroup: programs.controlGroup });
    const ground = new EvaluationGround(folder, plane, node);
    await node.start(programs.images);
    return ground;
  }

  async stop(): Promise<void> {
    await this.node.stop();
    await this.plane.stop();
  }

  /** The output of kubectl. @throws Error with its error messages */
  kubectl(...words: string[]): string {
    const { status, output, complaints } = this.plane.kubectl(words);
    if (status !== 0) throw new Error(`kubectl ${words.join(' ')}: ${complaints.join('\n')}`);
    return output;
  }

  /** The commands of docs/how-to/try-on-kubernetes.md. */
  applyOverlay(): void {
    this.applySecrets();
    this.kubectl('apply', '-k', overlay);
  }

  /** The page's commands for the end, and what lies on the volume. */
  removeOverlay(): void {
    this.kubectl('delete', '--ignore-not-found', '-k', overlay);
    this.inPaycode('delete', 'secret,pvc,job', '--all');
    this.kubectl('delete', 'pv', 'postgres');
    rmSync(this.volume, { recursive: true });
  }

  /** The namespace and its secrets, after a volume, which kind and k3d make by themselves. */
  applySecrets(): void {
    mkdirSync(this.volume);
    chmodSync(this.volume, 0o777); // The mode that the provisioners of kind and k3d give.
    const spec = { capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: this.volume } };
    const volume = { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'postgres' }, spec };
    const env = { ...process.env, PAYCODE_HOME: this.folder };
    const made = execFileSync(process.execPath, ['tools/run.cjs', 'run/evaluation-secrets'], {
      cwd: root,
      env,
      encoding: 'utf8',
    });
    const { items } = JSON.parse(made) as { items: object[] };
    this.apply(volume, ...items);
  }

  /** Manifests of the test's own. @throws Error with what kubectl complains of */
  apply(...manifests: object[]): void {
    const { status, complaints } = this.plane.kubectl(['apply', '--server-side', '-f', '-'], manifests);
    if (status !== 0) throw new Error(complaints.join('\n'));
  }

  private get volume(): string {
    return join(this.folder, 'postgres-data');
  }

  /** Ready, and its kubelet has said so after that moment: for a while the API server believes in a kubelet that has ended. */
  async isNodeReady(sinceMs = 0): Promise<boolean> {
    await pause(askEveryMs);
    const { status } = await this.plane.api.get<{ status: { conditions: { type: string; status: string }[] } }>(
      `/api/v1/nodes/${nodeName}`,
    );
    const lease = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${nodeName}`;
    const { spec } = await this.plane.api.get<{ spec: { renewTime: string } }>(lease);
    const isReady = status.conditions.some(condition => condition.type === 'Ready' && condition.status === 'True');
    return isReady && Date.parse(spec.renewTime) > sinceMs;
  }

  /** kubectl in the namespace of the services. */
  inPaycode(...words: string[]): string {
    return this.kubectl('-n', namespace, ...words);
  }

  services(): string[] {
    return this.inPaycode('get', 'deployments', '-o', 'name')
      .split('\n')
      .filter(Boolean)
      .map(name => name.replace(/^.*\//, ''));
  }

  /** Pods of a service that are not on their way out. */
  async pods(service: string): Promise<Pod[]> {
    return (await this.allPods(service)).filter(({ metadata }) => !metadata.deletionTimestamp);
  }

  // Asked without kubectl, which this process would wait for: meanwhile no shop would answer.
  async allPods(service?: string): Promise<Pod[]> {
    await pause(askEveryMs);
    const selector = service ? `?labelSelector=app.kubernetes.io%2Fname%3D${service}` : '';
    return (await this.plane.api.get<PodList>(`/api/v1/namespaces/${namespace}/pods${selector}`)).items;
  }

  /** Every container that runs, with its number of restarts. */
  async containers(): Promise<string[]> {
    return (await this.allPods())
      .filter(({ status }) => status.phase === 'Running')
      .map(({ metadata, status }) => `${metadata.name} ${status.containerStatuses?.[0]?.restartCount}`)
      .sort();
  }

  rolledOut(what: string): void {
    this.inPaycode('rollout', 'status', what, '--timeout=280s');
  }

  /** Every pod that is to run is ready, all at the same moment. */
  async isAllReady(): Promise<void> {
    await eventually(async () => {
      const pods = (await this.allPods()).filter(({ status }) => !['Succeeded', 'Failed'].includes(status.phase));
      const waiting = pods.filter(({ status }) => !status.containerStatuses?.[0]?.ready).map(({ metadata }) => metadata.name);
      if (waiting.length > 0) throw new Error(`not ready: ${waiting.join(', ')}`);
    }, 600_000);
  }

  /** Succeeded or failed: what it printed says more than a wait in vain. */
  async isJobOver(name: string): Promise<void> {
    await eventually(async () => {
      await pause(askEveryMs);
      const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${name}`;
      const { status } = await this.plane.api.get<{ status: { succeeded?: number; failed?: number } }>(path);
      if (!status.succeeded && !status.failed) throw new Error(`the Job ${name} is still running`);
    }, 600_000);
  }

  /** As `rollout status`, without blocking what this process does meanwhile. */
  async isRolledOut(...services: string[]): Promise<void> {
    for (const service of services)
      await eventually(async () => {
        await pause(askEveryMs);
        const path = `/apis/apps/v1/namespaces/${namespace}/deployments/${service}`;
        const { metadata, spec, status } = await this.plane.api.get<Deployment>(path);
        const { observedGeneration, updatedReplicas = 0, availableReplicas = 0, replicas = 0 } = status;
        if (observedGeneration < metadata.generation) throw new Error(`the change of ${service} is not yet seen`);
        const counts = [updatedReplicas, availableReplicas, replicas];
        if (counts.some(count => count !== spec.replicas))
          throw new Error(`${service} has ${counts.join(', ')} of ${spec.replicas}`);
      }, 280_000);
  }

  applyBudget(service: string): void {
    this.inPaycode('apply', '-f', join(root, `k8s/base/${service}/pdb.yaml`));
  }

  /** 201: it goes. 429: its disruption budget keeps it. */
  async evict({ metadata: { name } }: Pod): Promise<number> {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
    return (await this.plane.api.call(`/api/v1/namespaces/${namespace}/pods/${name}/eviction`, { method: 'POST', body })).status;
  }

  /** Logs, pods and events, for the diagnosis of a failed run. */
  described(): string {
    const ask = (...words: string[]) => this.plane.kubectl(['-n', namespace, ...words]).output;
    const words = ['logs', '--selector=app.kubernetes.io/part-of=paycode', '--prefix', '--tail=12', '--max-log-requests=40'];
    const events = ask('get', 'events', '--sort-by=.lastTimestamp').slice(-6_000);
    return [this.node.logs(), ask(...words), ask('get', 'pods', '-o', 'wide'), events].join('\n');
  }

  /** As the operator and the merchants of the cluster: addresses are the names of Services. */
  connection(): PlatformConnection {
    const home = join(this.folder, 'evaluation');
    const facts = JSON.parse(readFileSync(join(home, 'standalone.json'), 'utf8')) as Record<string, unknown>;
    const here = { ...facts, caFile: join(home, 'gateway-ca.crt'), operatorTokenFile: join(home, 'operator.token') };
    const own = join(this.folder, 'client');
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, 'standalone.json'), JSON.stringify(here));
    const file = (name: string) => join(home, name);
    const tls = readCallerTls({ certFile: file('operator.crt'), keyFile: file('operator.key'), caFile: file('internal-ca.crt') });
    return new PlatformConnection(own, tls);
  }
}
