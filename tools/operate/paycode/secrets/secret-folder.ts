import { existsSync, lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../../libs/access/src/service-token/token-keys.ts';
import { OperatorError } from '../operator-connection.ts';

const privateMode = 0o600;
const environmentFile = 'environment';

/** A folder that only its owner can open. `store/` holds a file per entry of the secret store; `keep/` what never goes into the cluster. */
export class SecretFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes it. @throws OperatorError when it exists */
  static create(path: string, environment: string): SecretFolder {
    if (existsSync(path))
      throw new OperatorError(`--folder ${path} exists: its secrets stay as they are. --complete makes those that are missing`);
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (cause) {
      throw new OperatorError(`--folder ${path} cannot be made: ${(cause as Error).message}`, { cause });
    }
    const folder = new SecretFolder(path);
    folder.write(environmentFile, environment);
    return folder;
  }

  /** Opens it. @throws OperatorError when it is no such folder, others can read it, or it is of another environment */
  static open(path: string, environment: string): SecretFolder {
    if (!existsSync(join(path, environmentFile)))
      throw new OperatorError(`--folder ${path} was not made by "secrets init"; without --complete it makes a new one`);
    if ((lstatSync(path).mode & 0o077) !== 0)
      throw new OperatorError(`--folder ${path} can be read by other users of this machine: chmod 700 ${path}`);
    const folder = new SecretFolder(path);
    const made = folder.read(environmentFile);
    if (made !== environment) throw new OperatorError(`--for ${environment}: the secrets in ${path} are those of ${made}`);
    return folder;
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
