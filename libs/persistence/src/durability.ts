import type { DataSource } from 'typeorm';

/** Values of PostgreSQL's settings that decide whether a committed verdict or decision can be lost. */
interface DurabilitySettings {
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  synchronous_standby_names: string;
}

/** Settings that a committed row needs to survive a crash of the process or the host. */
const mustBeOn = ['fsync', 'full_page_writes'] as const;
/** A commit is answered only after the standby has it on disk; the other values acknowledge before. */
const commitsThatWait = new Set(['on', 'remote_apply']);

const settingsSql = `
  select current_setting('fsync') as fsync, current_setting('full_page_writes') as full_page_writes,
         current_setting('synchronous_commit') as synchronous_commit,
         current_setting('synchronous_standby_names') as synchronous_standby_names`;

/**
 * Names each setting of the database that is weaker than settlement needs: an acknowledged payment must never be lost. Only production
 * requires a synchronous standby; without one, a loss of the primary's disk loses committed rows.
 */
export async function durabilityWeaknesses(
  dataSource: Pick<DataSource, 'query'>,
  environment: 'sandbox' | 'production',
): Promise<string[]> {
  const [settings] = await dataSource.query<DurabilitySettings[]>(settingsSql);
  return weaknessesOf(settings!, environment);
}

function weaknessesOf(settings: DurabilitySettings, environment: 'sandbox' | 'production'): string[] {
  const weak = mustBeOn.filter(name => settings[name] !== 'on').map(name => `${name}=${settings[name]}, must be on`);
  if (!commitsThatWait.has(settings.synchronous_commit)) {
    weak.push(`synchronous_commit=${settings.synchronous_commit}, must be on or remote_apply`);
  }
  if (environment === 'production' && settings.synchronous_standby_names === '') {
    weak.push('synchronous_standby_names is empty, must name a synchronous standby');
  }
  return weak;
}
