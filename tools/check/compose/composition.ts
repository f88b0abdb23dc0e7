import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = join(import.meta.dirname, '../../..');
const files = ['docker/compose.yaml', 'tools/check/compose/stand-ins.yaml'];
/** Another than the files name, so that nobody's own volumes are touched. */
const project = 'paycode-test';
const commandLimitMs = 600_000;
/** On a machine with a load of 20 a service needs minutes to start. */
const patienceMs = 900_000;
const askEveryMs = 2_000;
/** Of a container; the limit of this process itself is refused. */
const processesMax = 4_096;

/** docker/compose.yaml under podman, whose settings say what this machine's kernel permits. */
export class Composition {
  private readonly folder = mkdtempSync(join(tmpdir(), 'paycode-compose-'));
  private readonly env = {
    ...process.env,
    STORAGE_DRIVER: 'vfs',
    CONTAINERS_CONF: join(this.folder, 'containers.conf'),
  };

  constructor() {
    writeFileSync(this.env.CONTAINERS_CONF, podmanSettings());
  }

  /** @throws Error with its last words */
  compose(...words: string[]): string {
    return this.run('podman-compose', ['-p', project, ...files.flatMap(file => ['-f', join(root, file)]), ...words]);
  }

  /** Starts these, and none of those that they depend on. */
  start(...services: string[]): void {
    this.compose('up', '-d', '--no-build', '--no-deps', ...services);
  }

  /** systemd runs health checks for podman; where it does not run, somebody has to ask. */
  async isHealthy(...services: string[]): Promise<void> {
    for (const service of services)
      await this.until(`${service} is healthy`, () => this.podman('healthcheck', 'run', this.containerOf(service)).status === 0);
  }

  /** @throws Error with what it printed, when it ended with another status than 0 */
  async hasSucceeded(service: string): Promise<void> {
    const name = this.containerOf(service);
    const state = (what: string) => this.podman('inspect', '--format', `{{.State.${what}}}`, name).stdout.trim();
    await this.until(`${service} has ended`, () => state('Status') === 'exited');
    if (state('ExitCode') !== '0') throw new Error(`${service} ended with ${state('ExitCode')}\n${this.logOf(name)}`);
  }

  /** Names of the containers or volumes of the project that still exist. */
  left(kind: 'ps' | 'volume'): string[] {
    const words = { ps: ['ps', '--all', '--format', '{{.Names}}'], volume: ['volume', 'ls', '--format', '{{.Name}}'] }[kind];
    return linesOf(this.podman(...words, '--filter', `label=io.podman.compose.project=${project}`).stdout);
  }

  /** The last words of every container, for a failed run. */
  logs(): string {
    return this.left('ps')
      .map(name => `--- ${name}\n${this.logOf(name)}`)
      .join('\n');
  }

  /** Removes containers and volumes. */
  end(): void {
    this.compose('down', '--volumes');
    rmSync(this.folder, { recursive: true });
  }

  private logOf(name: string): string {
    const { stdout, stderr } = this.podman('logs', '--tail', '15', name);
    return stdout + stderr;
  }

  private containerOf(service: string): string {
    const filters = [`label=io.podman.compose.project=${project}`, `label=com.docker.compose.service=${service}`];
    const words = filters.flatMap(filter => ['--filter', filter]);
    const [name] = linesOf(this.podman('ps', '--all', ...words, '--format', '{{.Names}}').stdout);
    if (!name) throw new Error(`there is no container of ${service}`);
    return name;
  }

  private async until(what: string, isSo: () => boolean): Promise<void> {
    const giveUpAt = performance.now() + patienceMs;
    while (!isSo()) {
      if (performance.now() > giveUpAt) throw new Error(`waited ${patienceMs / 1_000} s in vain: ${what}`);
      await pause(askEveryMs);
    }
  }

  private podman(...words: string[]) {
    const { status, stdout, stderr, error } = spawnSync('podman', words, this.options());
    if (error) throw error;
    return { status, stdout, stderr };
  }

  private run(command: string, words: string[]): string {
    const { status, stdout, stderr, error } = spawnSync(command, words, this.options());
    if (error) throw error;
    if (status !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${status}\n${(stdout + stderr).slice(-3_000)}`);
    return stdout;
  }

  private options() {
    return { cwd: root, env: this.env, encoding: 'utf8', timeout: commandLimitMs, maxBuffer: 64 * 1_048_576 } as const;
  }
}

/**
 * podman wants 1,048,576 open files for every container, and a kernel that permits no process more than it has answers "setrlimit `RLIMIT_NOFILE`:
 * Operation not permitted". crun refuses control groups of both versions at once, runc does not.
 */
function podmanSettings(): string {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const [, files] = /^Max open files\s+\S+\s+(\d+)/m.exec(limits)!;
  const manager = existsSync('/run/systemd/system') ? 'systemd' : 'cgroupfs';
  return `[containers]
default_ulimits = ["nofile=${files}:${files}", "nproc=${processesMax}:${processesMax}"]
[engine]
runtime = "runc"
cgroup_manager = "${manager}"
events_logger = "file"
[network]
network_backend = "netavark"
`;
}

function linesOf(text: string): string[] {
  return text.split('\n').filter(Boolean);
}
