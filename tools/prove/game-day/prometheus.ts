/** A real Prometheus (Debian package `prometheus`) on a folder and a port of its own. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import { freePort } from '../../../libs/persistence/src/embedded/embedded-postgres.ts';

const readyWithinMs = 60_000;
const programs = ['prometheus', 'promtool'];

export interface PrometheusOptions {
  folder: string;
  config: object;
  ruleFiles: readonly { name: string; spec: object }[];
  /** OpenMetrics text of the time before. */
  history: string;
}

export interface Sample {
  metric: Record<string, string>;
  /** Unix time in seconds, and the value. */
  values: [number, string][];
}

/** Programs that this machine lacks. */
export function missingPrograms(): string[] {
  return programs.filter(program => spawnSync(program, ['--version']).status !== 0);
}

/** Where the rules of that name stand below `folder`. */
export const ruleFileOf = (folder: string, name: string) => join(folder, `${name}.rules.yaml`);

export class Prometheus {
  private readonly url: string;
  private readonly child: ChildProcess;

  private constructor(folder: string, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    const log = openSync(join(folder, 'prometheus.log'), 'a');
    const own = [`--config.file=${join(folder, 'prometheus.yaml')}`, `--storage.tsdb.path=${join(folder, 'tsdb')}`];
    this.child = spawn('prometheus', [...own, `--web.listen-address=127.0.0.1:${port}`], { stdio: ['ignore', log, log] });
    this.child.once('error', () => undefined);
  }

  static async start({ folder, config, ruleFiles, history }: PrometheusOptions): Promise<Prometheus> {
    for (const { name, spec } of ruleFiles) writeFileSync(ruleFileOf(folder, name), stringify(spec));
    writeFileSync(join(folder, 'prometheus.yaml'), stringify(config));
    const past = join(folder, 'history.om');
    writeFileSync(past, history);
    execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', past, join(folder, 'tsdb')], { stdio: 'pipe' });
    const prometheus = new Prometheus(folder, await freePort());
    await prometheus.untilReady(folder);
    return prometheus;
  }

  /** Values of an expression at every 15 s between two instants (Unix time in seconds). */
  async range(query: string, fromS: number, toS: number): Promise<Sample[]> {
    const parameters = new URLSearchParams({ query, start: String(fromS), end: String(toS), step: '15' });
    const answer = await fetch(`${this.url}/api/v1/query_range?${parameters.toString()}`);
    if (!answer.ok) throw new Error(`Prometheus answered ${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: { result: Sample[] } }).data.result;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }

  private async untilReady(folder: string): Promise<void> {
    const giveUpAt = performance.now() + readyWithinMs;
    for (;;) {
      const isReady = await fetch(`${this.url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) return;
      if (this.child.exitCode !== null || performance.now() > giveUpAt) {
        await this.stop();
        throw new Error(`Prometheus is not ready:\n${readFileSync(join(folder, 'prometheus.log'), 'utf8').slice(-2_000)}`);
      }
      await pause(100);
    }
  }
}
