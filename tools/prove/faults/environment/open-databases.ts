import { join } from 'node:path';
import { DatabaseServer } from './database-server.ts';
import type { FaultDatabases, FaultPlatformOptions } from './fault-settings.ts';

/** The three database servers, each in a folder of its own. */
export async function openDatabases(folder: string, folders: FaultPlatformOptions['dataFolders'] = {}): Promise<FaultDatabases> {
  const [dispatcher, scheduler, others] = await Promise.all([
    DatabaseServer.start(folders.dispatcher ?? join(folder, 'dispatcher'), ['dispatcher']),
    DatabaseServer.start(folders.scheduler ?? join(folder, 'scheduler'), ['scheduler']),
    DatabaseServer.start(folders.others ?? join(folder, 'others'), ['simulator', 'events', 'configuration']),
  ]);
  return { dispatcher, scheduler, others };
}
