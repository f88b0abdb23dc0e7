import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from '../command-error';
import type { PlatformAddress } from './send';

interface StandaloneFile {
  baseUrl: string;
  caFile: string;
  accounts: { username: string; password: string }[];
}

export interface StandaloneHome extends PlatformAddress {
  passwordOf(identity: string): string | undefined;
}

/** A platform of `npm start` by its folder: its address, its own authority and the accounts of the first start. @throws UsageError */
export function standaloneHome(folder: string): StandaloneHome {
  const file = JSON.parse(textOf(folder, 'standalone.json')) as StandaloneFile;
  return {
    url: file.baseUrl,
    ca: textOf(folder, join('tls', basename(file.caFile))),
    passwordOf: identity => file.accounts.find(({ username }) => username === identity)?.password,
  };
}

function textOf(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    throw new UsageError(`--home: ${name} cannot be read (${(error as NodeJS.ErrnoException).code}); does the platform run?`, {
      cause: error,
    });
  }
}
