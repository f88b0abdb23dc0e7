import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../..');

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
export function sourceOf(): Source {
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
