import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readDeclarations } from '../build/generated-pages.ts';
import { type ReleaseState, tagBefore } from './release-texts.ts';

const root = join(import.meta.dirname, '../../..');
const migration = /^(apps|libs)\/[^/]+\/(src\/.*)?migrations\/(?!index\.ts$).*\.ts$/;

function git(...args: string[]): string {
  return execFileSync('git', args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1_048_576,
  }).trim();
}

export type Source = ReturnType<typeof sourceOf>;

/** Where the sources come from, with the time (in seconds) and the date (UTC) of the commit. SOURCE_DATE_EPOCH, when set, is the time. */
export function sourceOf() {
  const epochS = Number(process.env['SOURCE_DATE_EPOCH'] ?? git('log', '-1', '--format=%ct'));
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
  const files = git('ls-tree', '-r', '--name-only', tag);
  return { version: tag.slice(1), state: inTreeOf(tag, tree => stateOf(files, tree)) };
}

export function presentState(): ReleaseState {
  return stateOf(git('ls-files'), root);
}

/** Gives `use` a copy of what the declarations of a release are read from. It is inside the workspace, whose packages they use. */
function inTreeOf<T>(tag: string, use: (tree: string) => T): T {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const tree = mkdtempSync(join(root, '.cache/release-'));
  try {
    const archive = ['archive', '--format=tar', tag, 'apps', 'libs', 'tsconfig.base.json'];
    const input = execFileSync('git', archive, { cwd: root, maxBuffer: 256 * 1_048_576 });
    execFileSync('tar', ['-xf', '-', '-C', tree], { input });
    return use(tree);
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function stateOf(files: string, tree: string): ReleaseState {
  const { settings, topics } = readDeclarations(tree);
  return {
    settings,
    migrations: files.split('\n').filter(file => migration.test(file) && !file.endsWith('.spec.ts')),
    topics: Object.fromEntries(topics.map(({ name, partitions }) => [name, partitions])),
  };
}
