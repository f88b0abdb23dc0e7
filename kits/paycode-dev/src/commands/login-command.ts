import { readFileSync } from 'node:fs';
import { exitCodes, UsageError } from '../command-error';
import { logIn, type Login, logOut } from '../platform/log-in';
import { standaloneHome, type StandaloneHome } from '../platform/standalone-home';
import { accountHelp, accountOptions, type Command, type CommandCall, profileOf, profilesOf, show, urlIn } from './command';

export const loginCommand: Command = {
  name: 'login',
  summary: 'logs an account in and keeps its token',
  help: `paycode-dev login: logs an account in and keeps its token

  paycode-dev login --home .paycode --user merchant-1002
  PAYCODE_PASSWORD=… paycode-dev login --url https://pay.example --user psp-7
  paycode-dev login --url https://pay.example.com --user psp-7 \\
    --password-file api.txt --private-key client.pem --service-key service.txt

The token stays in a file of mode 0600 below $XDG_CONFIG_HOME/paycode-dev, one
per account, and is renewed while you use it. Commands act for the account that
logged in last, or for --as <account>. An account in Basic mode has no
token: its password is kept there. With a key, the platform proves itself
before the password is sent.

  --url <url>             the platform
  --home <folder>         a platform of npm start: finds address, authority and
                          password in its standalone.json
  --user <name>           the account
  --password-file <file>  its API password, or PAYCODE_PASSWORD
  --private-key <file>    the account's private key (PEM)
  --service-key <file>    the service's public key (base64), for the challenge
  --ca <file>             PEM of the authority to trust, instead of the system's
  --json                  the profile without its secret, as JSON

Exit codes
  0  logged in         2  wrong call    4  the platform refuses the account
  1  refused           3  the platform cannot be reached
`,
  wordsMax: 0,
  options: ['url', 'home', 'user', 'password-file', 'private-key', 'service-key', 'ca'],
  async run(call) {
    const profile = await logIn(loginOf(call));
    const profiles = profilesOf(call);
    profiles.write(profile);
    profiles.select(profile);
    const { url, identity, expires } = profile;
    show(call, JSON.stringify({ url, identity, mode: expires === null ? 'BASIC' : 'BEARER', expires }));
    return exitCodes.good;
  },
};

export const logoutCommand: Command = {
  name: 'logout',
  summary: 'ends the session and forgets the token',
  help: `paycode-dev logout: ends the session and forgets the token

  paycode-dev logout
  paycode-dev logout --url https://pay.example.com

${accountHelp}  --json                what was ended, as JSON
`,
  wordsMax: 0,
  options: accountOptions,
  async run(call) {
    const profile = profileOf(call);
    profilesOf(call).remove(profile);
    await logOut(profile);
    show(call, JSON.stringify({ url: profile.url, identity: profile.identity }));
    return exitCodes.good;
  },
};

function loginOf(call: CommandCall): Login {
  const { home, user, url } = call.values;
  if (home !== undefined) return loginAt(call, standaloneHome(home), userIn(user));
  const address = urlIn(url);
  if (address === undefined) throw new UsageError('login needs --url <url>, or --home <folder> of a platform of npm start');
  return loginAt(call, { url: address, ca: null, passwordOf: () => undefined }, userIn(user));
}

function loginAt(call: CommandCall, { url, ca, passwordOf: known }: StandaloneHome, identity: string): Login {
  const password = passwordOf(call, known(identity));
  return { url, ca: fileText(call, 'ca') ?? ca, identity, password, keys: keysOf(call) };
}

function userIn(word: string | undefined): string {
  if (word === undefined) throw new UsageError('login needs --user <name>');
  return word;
}

function passwordOf(call: CommandCall, known: string | undefined): string {
  const password = fileText(call, 'password-file')?.trim() ?? call.surroundings.environment.password ?? known;
  if (password !== undefined) return password;
  throw new UsageError('login needs the API password: --password-file <file>, or PAYCODE_PASSWORD in the environment');
}

function keysOf(call: CommandCall): Login['keys'] {
  const [privateKey, serviceKey] = [fileText(call, 'private-key'), fileText(call, 'service-key')];
  if (privateKey === undefined && serviceKey === undefined) return undefined;
  if (privateKey === undefined || serviceKey === undefined)
    throw new UsageError('--private-key and --service-key belong together');
  return { privateKey, serviceKey: serviceKey.trim() };
}

function fileText({ values }: CommandCall, option: string): string | undefined {
  const file = values[option];
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--${option}: the file cannot be read (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
}
