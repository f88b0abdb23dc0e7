import { createPublicKey } from 'node:crypto';
import { type Command, Option } from 'commander';
import { type CommandContext, idOf } from '../command-context.ts';
import { OperatorError } from '../operator-connection.ts';

const types = ['MANAGER', 'MERCHANT', 'PSP', 'STK', 'ACQUIRER'];
const accountPath = (username: string): string => `/internal/accounts/${encodeURIComponent(username)}`;

interface CreateOptions {
  id?: string;
  username?: string;
  acquirer?: string;
}

export function addAccountCommands(program: Command, context: CommandContext): void {
  const accounts = program.command('accounts').description('accounts, their passwords and keys');
  accounts
    .command('create')
    .argument('<type>', types.join(', '))
    .description('make an account and show its API password, once')
    .option('--id <id>', 'managerId, merchantId or pspId')
    .option('--username <name>', 'username of an STK or ACQUIRER account')
    .option('--acquirer <name>', 'acquiring bank of an ACQUIRER account')
    .action((type: string, { id, username, acquirer }: CreateOptions) => {
      const body = { type: type.toUpperCase(), id: id === undefined ? undefined : idOf(id, '--id'), username, acquirer };
      return context.call('auth-session', { method: 'POST', path: '/internal/accounts', body });
    });
  accounts
    .command('show <username>')
    .description('show an account, without secrets')
    .action((username: string) => context.call('auth-session', { method: 'GET', path: accountPath(username) }));
  accounts
    .command('password <username>')
    .description('generate a new API password; the old one is invalid at once')
    .action((username: string) => context.call('auth-session', { method: 'POST', path: `${accountPath(username)}/password` }));
  accounts
    .command('enable-bearer <username>')
    .description('switch to Bearer, which cannot be undone; clears the password')
    .action((username: string) => context.call('auth-session', { method: 'POST', path: `${accountPath(username)}/bearer` }));
  accounts
    .command('sources <username>')
    .argument('[addresses...]', 'IP addresses and CIDR ranges; without any, every address is permitted')
    .description('permit an account from these addresses only')
    .action((username: string, sourceAddresses: string[]) => {
      const path = `${accountPath(username)}/source-addresses`;
      return context.call('auth-session', { method: 'PUT', path, body: { sourceAddresses } });
    });
  addPublicKeyCommands(accounts, context);
}

function addPublicKeyCommands(accounts: Command, context: CommandContext): void {
  accounts
    .command('public-key <username>')
    .argument(
      '<file>',
      'RSA-4096 public key: PEM, or base64 of the X.509 key; - reads standard input, behind a token that comes from there',
    )
    .description('register the key the account answers challenges with')
    .addOption(new Option('--challenge-required <yes|no>', 'refuse logins without a challenge').choices(['yes', 'no']))
    .action((username: string, file: string, { challengeRequired }: { challengeRequired?: string }) => {
      const body = {
        publicKey: publicKeyIn(context, file),
        ...(challengeRequired ? { challengeRequired: challengeRequired === 'yes' } : {}),
      };
      return context.call('auth-session', { method: 'PUT', path: `${accountPath(username)}/public-key`, body });
    });
  accounts
    .command('service-public-key')
    .description("show the service's public key, for clients that log in with a challenge")
    .action(() => context.call('auth-session', { method: 'GET', path: '/internal/service-public-key' }));
}

function publicKeyIn(context: CommandContext, file: string): string {
  const text = context.read(file).trim();
  if (!text.includes('-----BEGIN')) return text.replace(/\s/g, '');
  try {
    return createPublicKey(text).export({ type: 'spki', format: 'der' }).toString('base64');
  } catch {
    throw new OperatorError(`${file} holds no public key`);
  }
}

const limitPath = (username: string): string => `/internal/limits/${encodeURIComponent(username)}`;

export function addLimitCommands(program: Command, context: CommandContext): void {
  const limits = program.command('limits').description('what an account may do per second at each gateway');
  limits
    .command('show')
    .argument('[username]', 'without it: all accounts with a limit of their own')
    .description('show the limit of an account; `default` is CREDENTIAL_RATE_PER_S of the gateways')
    .action((username?: string) =>
      context.call('auth-session', { method: 'GET', path: username === undefined ? '/internal/limits' : limitPath(username) }),
    );
  limits
    .command('set')
    .argument('<username>')
    .description(
      'set the limit of an account; each gateway applies it from the second request of the account on, and counts for itself',
    )
    .option('--per-second <n>', 'requests per second, 1 to 10000; twice as many at once')
    .option('--default', 'take the limit of its own away')
    .action((username: string, options: { perSecond?: string; default?: true }) => {
      if ((options.perSecond === undefined) === (options.default === undefined))
        throw new OperatorError('limits set needs either --per-second or --default');
      const perSecond = options.perSecond === undefined ? null : idOf(options.perSecond, '--per-second');
      return context.call('auth-session', { method: 'PUT', path: limitPath(username), body: { perSecond } });
    });
}

const sessionsPath = (username: string): string => `${accountPath(username)}/sessions`;

export function addSessionCommands(program: Command, context: CommandContext): void {
  const sessions = program.command('sessions').description('sessions of an account in Bearer mode');
  sessions
    .command('list <username>')
    .description('show the open sessions, newest first')
    .action((username: string) => context.call('auth-session', { method: 'GET', path: sessionsPath(username) }));
  sessions
    .command('end-all <username>')
    .description('end every session of the account at once; its password stays')
    .action((username: string) => context.call('auth-session', { method: 'POST', path: `${sessionsPath(username)}/end-all` }));
}
