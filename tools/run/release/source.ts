import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type ReleaseState, type Settings, tagBefore } from './upgrade-notes.ts';

const root = join(import.meta.dirname, '../../..');
const settingsFile = 'docs/reference/environment.json';
const topicsFile = 'docs/reference/topics.yaml';
const migration = /^(apps|libs)\/[^/]+\/(src\/.*)?migrations\/(?!index\.ts$).*\.ts$/;

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1_048_576,
  }).trim();
}

export interface Source {
  commit: string;
  isDirty: boolean;
  /** Time of the commit, in seconds. */
  epochS: number;
  /** Date of the commit in UTC. */
  date: string;
  repository: string;
}

/** Where the sources come from. SOURCE_DATE_EPOCH, when set, is the time. */
export function sourceOf(environment: Record<string, string | undefined> = process.env): Source {
  const epochS = Number(environment['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct'));
  if (!Number.isSafeInteger(epochS) || epochS < 0) throw new Error('SOURCE_DATE_EPOCH: expected whole seconds since 1970');
  const remote = git('config', '--default', '', '--get', 'remote.origin.url');
  return {
    commit: git('rev-parse', 'HEAD'),
    isDirty: git('status', '--porcelain') !== '',
    epochS,
    date: new Date(epochS * 1_000).toISOString().slice(0, 10),
    // Without what may be a login.
    repository: remote === '' ? 'local' : remote.replace(/\/\/[^@/]*@/, '//'),
  };
}

/** The release before `version` (tag vX.Y.Z) and its state; null before the first. The tag of `version` itself is there by then. */
export function previousRelease(version: string): { version: string; state: ReleaseState } | null {
  const tags = git('tag', '--list', 'v[0-9]*', '--sort=-version:refname', '--merged', 'HEAD').split('\n');
  const tag = tagBefore(tags, version);
  if (!tag) return null;
  return {
    version: tag.slice(1),
    state: stateOf(file => git('show', `${tag}:${file}`), git('ls-tree', '-r', '--name-only', tag)),
  };
}

export function presentState(): ReleaseState {
  return stateOf(file => readFileSync(join(root, file), 'utf8'), git('ls-files'));
}

function stateOf(read: (file: string) => string, files: string): ReleaseState {
  const { topics } = parse(read(topicsFile)) as { topics: { name: string; partitions: number }[] };
  return {
    settings: JSON.parse(read(settingsFile)) as Settings,
    migrations: files.split('\n').filter(file => migration.test(file) && !file.endsWith('.spec.ts')),
    topics: Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions])),
  };
}
