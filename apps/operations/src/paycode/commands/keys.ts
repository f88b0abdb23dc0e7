import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import * as tokenKeys from '../../../../../libs/access/src/service-token/token-keys.ts';
import type { CommandContext } from '../command-context.ts';
import { OperatorError } from '../operator-connection.ts';

export function addKeyCommands(program: Command, context: CommandContext): Command {
  const keys = program.command('keys').description('rotation of the keys of the platform');
  keys
    .command('rotate')
    .description(
      'sign tokens and identity assertions with new keys; the old keys verify until the tokens they signed have expired, and the next rotation is refused until then',
    )
    .action(() => context.call('auth-session', { method: 'POST', path: '/internal/keys/rotate' }));
  keys
    .command('replace')
    .description('replace the signing keys at once, for a stolen key: the old keys verify no more, and every session ends')
    .action(() => context.call('auth-session', { method: 'POST', path: '/internal/keys/replace' }));
  keys
    .command('reseal')
    .description('seal all webhook keys under the first of KEY_ENCRYPTION_KEYS, so that an older one can be removed')
    .action(() => context.call('notification-config', { method: 'POST', path: '/internal/webhook-keys/reseal' }));
  return keys;
}

interface FolderOption {
  folder: string;
}

/** Keys of service and operator tokens, as files in a folder. These commands do not call a running platform. */
export function addTokenKeyCommands(keys: Command, write: (text: string) => void): void {
  keys
    .command('make')
    .requiredOption('--folder <folder>', 'where the keys lie')
    .description('make missing keys of service and operator tokens: one private key per service, one for operators')
    .action(({ folder }: FolderOption) => {
      tokenKeys.ensureTokenKeys(folder);
      write(`${folder}: hand each service its own .pem and all the .json files; keep operator.pem\n`);
    });
  keys
    .command('renew')
    .argument('<owner>', 'a service, or operator')
    .requiredOption('--folder <folder>', 'where the keys lie')
    .description('replace a private key; the public key of the old one stays published until it is retired')
    .action((owner: string, { folder }: FolderOption) => {
      const [kid, previous] = renew(owner, folder);
      write(`${kid} is the key of ${owner} now; when all know it: keys retire ${previous}\n`);
    });
  keys
    .command('retire')
    .argument('<kid>', '<owner>:<version>')
    .requiredOption('--folder <folder>', 'where the keys lie')
    .description('remove a public key: tokens that its private key signs are refused from then on')
    .action((kid: string, { folder }: FolderOption) => {
      retire(kid, folder);
      write(`${kid} is no longer published\n`);
    });
}

function renew(owner: string, folder: string): [kid: string, previous: string] {
  const { file } = placeOf(owner, folder);
  const kid = () => tokenKeys.signingKeyOf(owner, readFileSync(file, 'utf8')).kid;
  const previous = kid();
  tokenKeys.replaceFile(file, tokenKeys.newPrivateKey(), 0o600);
  tokenKeys.ensureTokenKeys(folder);
  return [kid(), previous];
}

function retire(kid: string, folder: string): void {
  const owner = kid.split(':')[0]!;
  const { file, published } = placeOf(owner, folder);
  if (tokenKeys.signingKeyOf(owner, readFileSync(file, 'utf8')).kid === kid)
    throw new OperatorError(`${kid} is the key of ${owner}; first: keys renew ${owner}`);
  const { keys } = JSON.parse(readFileSync(published, 'utf8')) as { keys: { kid: string }[] };
  const left = keys.filter(key => key.kid !== kid);
  if (left.length === keys.length) throw new OperatorError(`${published} has no key ${kid}`);
  tokenKeys.replaceFile(published, `${JSON.stringify({ keys: left }, null, 2)}\n`, 0o600);
}

function placeOf(owner: string, folder: string): { file: string; published: string } {
  const owners: readonly string[] = [...tokenKeys.serviceNames, tokenKeys.operatorName];
  if (!owners.includes(owner)) throw new OperatorError(`${owner} is none of ${owners.join(', ')}`);
  const file = join(folder, `${owner}.pem`);
  if (!existsSync(file)) throw new OperatorError(`${file} does not exist; first: keys make --folder ${folder}`);
  const name = owner === tokenKeys.operatorName ? 'operator-public-keys.json' : 'service-public-keys.json';
  return { file, published: join(folder, name) };
}
