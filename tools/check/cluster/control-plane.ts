import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '@paycode/persistence/embedded';

/** Addresses of Services. */
const serviceRange = '10.96.0.0/16';
/** Controllers that create pods and count the evictions that budgets permit. Nothing schedules or runs the pods. */
const controllers = [
  'deployment-controller',
  'replicaset-controller',
  'job-controller',
  'disruption-controller',
  'serviceaccount-controller',
];

interface PlanePorts {
  etcd: number;
  peer: number;
  api: number;
  controllers: number;
}

/** Where the programs of a control plane keep their files, and how they reach each other. */
interface PlaneProcess {
  folder: string;
  ports: PlanePorts;
}

function etcdFlags({ folder, ports }: PlaneProcess): string[] {
  const { etcd, peer } = ports;
  const [client, own] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peer}`];
  const urls = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`, `--listen-peer-urls=${own}`];
  const first = [`--initial-advertise-peer-urls=${own}`, `--initial-cluster=default=${own}`];
  return [`--data-dir=${join(folder, 'etcd-data')}`, '--unsafe-no-fsync', ...urls, ...first];
}

function apiFlags({ folder, ports }: PlaneProcess): string[] {
  const key = join(folder, 'service-accounts.key');
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    `--secure-port=${ports.api}`,
    `--cert-dir=${join(folder, 'pki')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.invalid',
    `--service-account-key-file=${key}`,
    `--service-account-signing-key-file=${key}`,
    `--service-cluster-ip-range=${serviceRange}`,
    `--admission-control-config-file=${join(folder, 'admission.json')}`,
  ];
}

function controllerFlags({ folder, ports }: PlaneProcess): string[] {
  return [
    `--kubeconfig=${join(folder, 'kubeconfig')}`,
    `--controllers=${controllers.join(',')}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.controllers}`,
    `--cert-dir=${join(folder, 'controller-pki')}`,
  ];
}

const level = { enforce: 'restricted', warn: 'restricted' };
const admission = {
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AdmissionConfiguration',
  plugins: [
    {
      name: 'PodSecurity',
      configuration: {
        apiVersion: 'pod-security.admission.config.k8s.io/v1',
        kind: 'PodSecurityConfiguration',
        defaults: { ...level, 'enforce-version': 'latest', 'warn-version': 'latest' },
      },
    },
  ],
};

const startLimitMs = 300_000;
const programLimitMs = 300_000;
const controllerStarts = 10;
export interface ProgramResult {
  status: number;
  output: string;
  /** Errors of the program, or of the server through it. */
  complaints: string[];
}

/** etcd, kube-apiserver and kube-controller-manager on loopback, in a temporary folder. Every namespace has to be `restricted`. */
export class ControlPlane {
  private readonly token = randomBytes(24).toString('hex');
  private running: ChildProcess[] = [];
  private isStopping = false;
  readonly api: ApiClient;

  private constructor(
    private readonly programs: string,
    private readonly folder: string,
    private readonly ports: PlanePorts,
  ) {
    this.api = new ApiClient({ port: ports.api, token: this.token, caFile: this.in('pki/apiserver.crt') });
  }

  /** `programs`: the folder of them. `template`: the data folder of an etcd that was stopped. */
  static async start(programs: string, template?: string): Promise<ControlPlane> {
    const folder = mkdtempSync(join(tmpdir(), 'paycode-cluster-'));
    const [etcd, peer, api, controllerPort] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const plane = new ControlPlane(programs, folder, { etcd, peer, api, controllers: controllerPort });
    if (template) cpSync(template, plane.in('etcd-data'), { recursive: true });
    plane.writeSettings();
    plane.launch('etcd', etcdFlags(plane.own));
    plane.launch('kube-apiserver', apiFlags(plane.own));
    await plane.untilReady();
    plane.keepControllers(controllerStarts);
    return plane;
  }

  /** Ends what runs; gives the data folder of etcd when `keep` is set, and removes everything else. */
  async stop(keep?: string): Promise<void> {
    this.isStopping = true;
    for (const child of this.running.reverse()) await end(child);
    if (keep) cpSync(this.in('etcd-data'), keep, { recursive: true });
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs kubectl with manifests on its standard input. */
  kubectl(args: string[], manifests: readonly object[] = []): ProgramResult {
    const { status, stdout, stderr, error } = spawnSync(join(this.programs, 'kubectl'), args, {
      ...this.asAdministrator(),
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: manifests }),
      encoding: 'utf8',
    });
    // Of input that is refused it does not read all.
    if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    return { status: status ?? 1, output: stdout, complaints: linesOf(stderr) };
  }

  /** Runs helm of an administrator; meanwhile a test may do what a node would. */
  helm(args: string[]): Promise<ProgramResult> {
    return new Promise(resolve =>
      execFile(join(this.programs, 'helm'), args, this.asAdministrator(), (error, output, stderr) =>
        resolve({ status: error ? 1 : 0, output, complaints: linesOf(stderr) }),
      ),
    );
  }

  private get own(): PlaneProcess {
    return { folder: this.folder, ports: this.ports };
  }

  private asAdministrator() {
    const env = { ...process.env, KUBECONFIG: this.in('kubeconfig'), HOME: this.folder };
    return { env, timeout: programLimitMs, maxBuffer: 64 * 1_048_576 };
  }

  private in(name: string): string {
    return join(this.folder, name);
  }

  private writeSettings(): void {
    mkdirSync(this.in('pki'), { recursive: true });
    execFileSync('openssl', ['genrsa', '-out', this.in('service-accounts.key'), '2048'], { stdio: 'ignore' });
    writeFileSync(this.in('tokens.csv'), `${this.token},admin,admin,"system:masters"\n`, { mode: 0o600 });
    writeFileSync(this.in('admission.json'), JSON.stringify(admission));
    const cluster = { server: `https://127.0.0.1:${this.ports.api}`, 'certificate-authority': this.in('pki/apiserver.crt') };
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user: { token: this.token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    writeFileSync(this.in('kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 });
  }

  /** Starts it again when it ends, as a kubelet does: it gives up when the API server of a busy machine does not answer for ten seconds. */
  private keepControllers(startsLeft: number): void {
    const name = 'kube-controller-manager';
    const child = this.launch(name, controllerFlags(this.own));
    child.once('exit', () => {
      if (this.isStopping) return;
      process.stderr.write(`${name} ended: ${readFileSync(this.in(`${name}.log`), 'utf8').slice(-2_000)}\n`);
      this.running = this.running.filter(each => each !== child);
      if (startsLeft > 1) this.keepControllers(startsLeft - 1);
    });
  }

  private launch(name: string, flags: string[]): ChildProcess {
    if (!existsSync(this.in(name))) symlinkSync(join(this.programs, 'control-plane'), this.in(name));
    const log = openSync(this.in(`${name}.log`), 'a');
    // The run's folder is named in the environment of all that it starts: the next run ends what a killed one left.
    const child = spawn(this.in(name), flags, { cwd: this.folder, stdio: ['ignore', log, log], env: { ...process.env } });
    closeSync(log);
    this.running.push(child);
    return child;
  }

  private async untilReady(): Promise<void> {
    const giveUpAt = performance.now() + startLimitMs;
    for (;;) {
      const dead = this.running.find(child => child.exitCode !== null);
      if (dead) throw new Error(`${dead.spawnfile} ended: ${readFileSync(`${dead.spawnfile}.log`, 'utf8').slice(-2_000)}`);
      if (existsSync(this.in('pki/apiserver.crt'))) {
        // Until it listens, every call fails; the loop gives up by its own limit.
        const answer = await this.api.call('/readyz').catch(() => undefined);
        if (answer?.status === 200) return;
      }
      if (performance.now() > giveUpAt) throw new Error(`the API server is not ready after ${startLimitMs} ms`);
      await pause(100);
    }
  }
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(line => line !== '');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise(resolve => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await ended;
  clearTimeout(timer);
}

interface ApiAnswer {
  status: number;
  body: unknown;
}
interface ApiCall {
  method?: string;
  body?: object;
  /** Of the body: a JSON merge patch is one of its own. */
  type?: string;
}

/** Calls the API server as an administrator. */
class ApiClient {
  constructor(private readonly server: { port: number; token: string; caFile: string }) {}

  call(path: string, { method = 'GET', body, type = 'application/json' }: ApiCall = {}): Promise<ApiAnswer> {
    const { port, token, caFile } = this.server;
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type };
    const options = { host: '127.0.0.1', port, path, method, headers, ca: readFileSync(caFile), agent: false, timeout: 60_000 };
    return new Promise((resolve, reject) => {
      const sent = request(options, response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode!, body: parsed(Buffer.concat(chunks).toString()) }));
      });
      sent.once('error', reject).once('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.end(body && JSON.stringify(body));
    });
  }

  /** @throws Error with what the server said */
  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.call(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // "ok" of a probe
  }
}
