import { type Command, Option } from 'commander';
import { channels } from '../../../../libs/dto/src/internal/channels.ts';
import { type CommandContext, idOf } from '../command-context.ts';

const service = 'notification-config';
const merchantPath = (merchantId: string): string => `/internal/merchants/${idOf(merchantId, 'merchantId')}`;

interface SetOptions {
  name: string;
  psp?: string;
  acquirer: string;
  status: string;
}

export function addMerchantCommands(program: Command, context: CommandContext): void {
  const merchants = program.command('merchants').description('merchants');
  merchants
    .command('set')
    .argument('<merchantId>')
    .description('create or change a merchant')
    .requiredOption('--name <name>', 'registered name')
    .requiredOption('--acquirer <bank>', 'acquiring bank')
    .option('--psp <pspId>', 'PSP that owns it')
    .addOption(new Option('--status <status>').choices(['ACTIVE', 'SUSPENDED']).default('ACTIVE'))
    .action((merchantId: string, { name, psp, acquirer, status }: SetOptions) => {
      const body = { merchantName: name, pspId: psp === undefined ? null : idOf(psp, '--psp'), acquirer, status };
      return context.call(service, { method: 'PUT', path: merchantPath(merchantId), body });
    });
  merchants
    .command('show')
    .argument('<merchantId>')
    .action((merchantId: string) => context.call(service, { method: 'GET', path: merchantPath(merchantId) }));
  merchants
    .command('encryption')
    .argument('<merchantId>')
    .argument('<profile>', 'AES-128-GCM, or AES-128-CBC-LEGACY (unauthenticated; for old receivers only)')
    .description('choose how webhooks are encrypted')
    .action((merchantId: string, profile: string) =>
      context.call(service, { method: 'PUT', path: `${merchantPath(merchantId)}/encryption`, body: { profile } }),
    );
  addNotificationCommands(program, context);
}

function addNotificationCommands(program: Command, context: CommandContext): void {
  program
    .command('notifications')
    .description('URLs and recipients of merchants')
    .command('remove')
    .argument('<merchantId>')
    .argument('<type>', `HTTP, ${channels.join(' or ')}`)
    .argument('[value]', 'which recipient')
    .description('remove a URL or a recipient')
    .action((merchantId: string, type: string, value?: string) => {
      const entry = [type.toUpperCase(), ...(value === undefined ? [] : [value])].map(encodeURIComponent).join('/');
      return context.call(service, { method: 'DELETE', path: `${merchantPath(merchantId)}/notifications/${entry}` });
    });
  program
    .command('check')
    .argument('<merchantId>')
    .description("probe a merchant's URL and show what happened; changes nothing")
    .action((merchantId: string) => context.call(service, { method: 'POST', path: `${merchantPath(merchantId)}/check` }));
  program
    .command('send-test')
    .argument('<merchantId>')
    .description("send a merchant's URL an encrypted notification that moves no money, and show how it was answered")
    .option('--asked-by <person>', "the merchant's person who wants it; production sends none without")
    .action((merchantId: string, { askedBy }: { askedBy?: string }) =>
      context.call(service, { method: 'POST', path: `${merchantPath(merchantId)}/test-notification`, body: { askedBy } }),
    );
}
