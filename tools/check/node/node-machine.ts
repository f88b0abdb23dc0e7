import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@paycode/service-runtime/testing';
import { killControlGroups, killProcessesCalled, makeControlGroups } from './control-groups';
import { nodeAddress } from './machine-network';
import type { NodePrograms } from './node-programs';
import { containerdSettings, kubeletSettings, nodeName, policyFlags, proxySettings } from './node-settings';

const endLimitMs = 30_000;
const askEveryMs = 500;

export interface MachineOptions {
  /** Settings, state and logs. */
  folder: string;
  programs: NodePrograms;
  kubeconfig: string;
  /** Above those of all pods. */
  controlGroup: string;
}

/** A node of a cluster: containerd, kubelet, kube-proxy and CoreDNS; and the scheduler, which needs one. */
export class NodeMachine {
  private readonly running = new Map<string, ChildProcess>();

  constructor(private readonly options: MachineOptions) {}

  async start(imageArchive: string): Promise<void> {
    this.writeSettings();
    makeControlGroups(this.options.controlGroup);
    await this.startContainerd();
    this.ctr('images', 'import', imageArchive);
    this.launch('kube-scheduler', [
      `--kubeconfig=${this.options.kubeconfig}`,
      '--leader-elect=false',
      '--bind-address=127.0.0.1',
    ]);
    this.launch('coredns', ['-conf', this.in('Corefile')]);
    this.launch('kube-proxy', [`--config=${this.in('kube-proxy.json')}`]);
    await this.startKubelet();
  }

  /** Gives an image of the archive the name that it would have by digest, as from a registry; and that digest. */
  pin(image: string): string {
    const [, digest] = new RegExp(`^${image}:local\\s+\\S+\\s+(\\S+)`, 'm').exec(this.ctr('images', 'list'))!;
    this.ctr('images', 'tag', '--force', `${image}:local`, `${image}@${digest}`);
    return digest!;
  }

  /** Starts the engine of network policies, which makes rules of the node out of them. */
  enforcePolicies(): void {
    this.launch('kube-router', policyFlags(this.options.kubeconfig));
  }

  /** Pods continue to run meanwhile, as on a node whose daemons are upgraded. */
  async restartDaemons(): Promise<void> {
    await this.end('kubelet');
    await this.end('containerd');
    await this.startContainerd();
    await this.startKubelet();
  }

  /** Kills kubelet, containerd and all pods without a word, PostgreSQL among them, and starts the node's daemons again, as after a loss of power. */
  async crash(): Promise<void> {
    const ended = ['kubelet', 'containerd'].map(name => this.killed(name));
    killControlGroups(this.options.controlGroup);
    await Promise.all(ended);
    killProcessesCalled('containerd-shim-runc-v2');
    await this.startContainerd();
    await this.startKubelet();
  }

  /** Kills the processes of a container, as the kernel does when memory is short. */
  killContainer(id: string): void {
    this.ctr('tasks', 'kill', '--all', '--signal', 'SIGKILL', id);
  }

  /** Ends what runs, the containers too; the namespaces take the rest with them. */
  async stop(): Promise<void> {
    for (const name of [...this.running.keys()].reverse().filter(each => each !== 'containerd')) await this.end(name);
    const tasks = this.ctr('tasks', 'list', '--quiet').split('\n').filter(Boolean);
    for (const task of tasks) this.ctr('tasks', 'kill', '--all', '--signal', 'SIGKILL', task);
    await this.end('containerd');
  }

  /** Programs that ended by themselves. */
  ended(): string[] {
    return [...this.running]
      .filter(([, { exitCode, signalCode }]) => exitCode !== null || signalCode !== null)
      .map(([name]) => name);
  }

  /** The last words of each program, for a failed start. */
  logs(): string {
    const tail = (name: string) => `--- ${name}\n${readFileSync(this.in(`${name}.log`), 'utf8').slice(-3_000)}`;
    return [...this.running.keys()].map(tail).join('\n');
  }

  private in(name: string): string {
    return join(this.options.folder, name);
  }

  private async startContainerd(): Promise<void> {
    this.launch('containerd', ['--config', this.in('containerd.toml'), '--log-level', 'warn']);
    await eventually(() => this.ctr('version'));
  }

  /** Containerd may answer while it still refuses the kubelet, which then ends: it is started again, as its unit would. */
  private async startKubelet(): Promise<void> {
    const flags = [
      `--config=${this.in('kubelet.json')}`,
      `--kubeconfig=${this.options.kubeconfig}`,
      `--root-dir=${this.in('kubelet')}`,
      `--cert-dir=${this.in('kubelet-pki')}`,
      `--hostname-override=${nodeName}`,
      `--node-ip=${nodeAddress}`,
    ];
    this.launch('kubelet', flags);
    await eventually(async () => {
      await pause(askEveryMs);
      if (this.ended().includes('kubelet')) this.launch('kubelet', flags);
      const { status } = await fetch('http://127.0.0.1:10248/healthz');
      if (status !== 200) throw new Error(`the kubelet answers ${status}`);
    });
  }

  private ctr(...words: string[]): string {
    const args = ['--address', this.in('containerd.sock'), '--namespace', 'k8s.io', ...words];
    return execFileSync('ctr', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 });
  }

  private launch(name: string, flags: string[]): void {
    const { node, coredns, policies } = this.options.programs;
    const own = { coredns, containerd: '/usr/bin/containerd', 'kube-router': policies }[name] ?? node;
    const program = this.in(`bin/${name}`);
    if (!existsSync(program)) symlinkSync(own, program);
    const log = openSync(this.in(`${name}.log`), 'a');
    const child = spawn(program, flags, { cwd: this.options.folder, stdio: ['ignore', log, log] });
    closeSync(log);
    this.running.set(name, child);
  }

  private async end(name: string): Promise<void> {
    const child = this.running.get(name)!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), endLimitMs);
    await ended;
    clearTimeout(timer);
  }

  private killed(name: string): Promise<void> {
    const child = this.running.get(name)!;
    if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
    return new Promise(resolve => {
      child.once('exit', () => resolve());
      child.kill('SIGKILL');
    });
  }

  private writeSettings(): void {
    const { folder, kubeconfig, controlGroup } = this.options;
    mkdirSync(this.in('bin'));
    writeFileSync(this.in('containerd.toml'), containerdSettings(folder));
    writeFileSync(this.in('kubelet.json'), JSON.stringify(kubeletSettings(folder, controlGroup)));
    writeFileSync(this.in('kube-proxy.json'), JSON.stringify(proxySettings(kubeconfig)));
    const zones = `kubernetes cluster.local {\n    kubeconfig ${kubeconfig}\n  }`;
    writeFileSync(this.in('Corefile'), `.:53 {\n  errors\n  ${zones}\n}\n`);
  }
}
