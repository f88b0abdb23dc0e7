import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../../../libs/access/src/service-token/token-keys.ts';
import { OperatorError } from '../operator-connection.ts';
import type { EnvironmentName } from './wanted-secrets.ts';

const privateMode = 0o600;
const settingsFile = 'settings.json';

/** The environment and hosts that the secrets of a folder were made for. */
export interface FolderSettings {
  environment: EnvironmentName;
  /** DNS name that clients call. */
  host: string;
  /** Host of PostgreSQL, and its port unless it is 5432. */
  databaseHost: string;
}

const flags: Record<keyof FolderSettings, string> = {
  environment: '--for',
  host: '--host',
  databaseHost: '--database-host',
};

/** A folder that only its owner can open. `store/` holds a file per entry of the secret store; `keep/` what never goes into the cluster. */
export class SecretFolder {
  readonly path: string;
  readonly settings: FolderSettings;

  private constructor(path: string, settings: FolderSettings) {
    this.path = path;
    this.settings = settings;
  }

  /** Makes it. @throws OperatorError when it exists */
  static create(path: string, settings: FolderSettings): SecretFolder {
    if (existsSync(path))
      throw new OperatorError(`--folder ${path} exists: its secrets stay as they are. --complete makes those that are missing`);
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (cause) {
      throw new OperatorError(`--folder ${path} cannot be made: ${(cause as Error).message}`, { cause });
    }
    const folder = new SecretFolder(path, settings);
    folder.write(settingsFile, `${JSON.stringify(settings, null, 2)}\n`);
    return folder;
  }

  /** Opens it. @throws OperatorError when it is no such folder, others can read it, or it was made for something else */
  static open(path: string, given: Partial<FolderSettings>): SecretFolder {
    const file = join(path, settingsFile);
    if (!existsSync(file))
      throw new OperatorError(`--folder ${path} was not made by "secrets init"; without --complete it makes a new one`);
    if ((lstatSync(path).mode & 0o077) !== 0)
      throw new OperatorError(`--folder ${path} can be read by other users of this machine: chmod 700 ${path}`);
    const settings = JSON.parse(readFileSync(file, 'utf8')) as FolderSettings;
    for (const [name, flag] of Object.entries(flags) as [keyof FolderSettings, string][])
      if (given[name] !== undefined && given[name] !== settings[name])
        throw new OperatorError(`${flag} ${given[name]}: the secrets in ${path} are those of ${settings[name]}`);
    return new SecretFolder(path, settings);
  }

  read(name: string): string | undefined {
    const file = join(this.path, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }

  /** Atomically: an interrupted run leaves no part of a secret. */
  write(name: string, text: string): void {
    const file = join(this.path, name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    replaceFile(file, text, privateMode);
  }
}
