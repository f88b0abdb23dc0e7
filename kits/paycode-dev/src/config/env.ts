import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The environment variables of the command: secrets, which do not belong on a command line, the folder of the tokens, and the choice of colours. */
export interface Environment {
  key: string | undefined;
  newKey: string | undefined;
  password: string | undefined;
  /** Folder of the profiles. */
  configFolder: string;
  isColourless: boolean;
}

export function readEnvironment(env: Record<string, string | undefined> = process.env): Environment {
  const given = env['XDG_CONFIG_HOME'] ?? '';
  return {
    key: env['PAYCODE_WEBHOOK_KEY'],
    newKey: env['PAYCODE_WEBHOOK_NEW_KEY'],
    password: env['PAYCODE_PASSWORD'],
    // The XDG base directory specification ignores a path that is not absolute.
    configFolder: join(isAbsolute(given) ? given : join(homedir(), '.config'), 'paycode-dev'),
    isColourless: (env['NO_COLOR'] ?? '') !== '',
  };
}

export interface ProxySettings {
  /** URL of an HTTP proxy for what goes to the platform; undefined: none. */
  proxy: string | undefined;
  noProxy: string;
}

/** As curl reads them: names in lower case win. */
export function proxySettings(env: Record<string, string | undefined> = process.env): ProxySettings {
  return { proxy: env['https_proxy'] ?? env['HTTPS_PROXY'], noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '' };
}
