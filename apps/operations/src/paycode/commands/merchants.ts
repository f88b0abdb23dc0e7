import { type Command, Option } from 'commander';
import { channels } from '../../../../../libs/dto/src/internal/routes.ts';
import { type CommandContext, idOf } from '../command-context.ts';
import { OperatorError } from '../operator-connection.ts';

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
    .command('set <merchantId>')
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
    .command('show <merchantId>')
    .action((merchantId: string) => context.call(service, { method: 'GET', path: merchantPath(merchantId) }));
  merchants
    .command('encryption <merchantId>')
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
    .command('remove <merchantId>')
    .argument('<type>', `HTTP, ${channels.join(' or ')}`)
    .argument('[value]', 'which recipient')
    .description('remove a URL or a recipient')
    .action((merchantId: string, type: string, value?: string) => {
      const entry = [type.toUpperCase(), ...(value === undefined ? [] : [value])].map(encodeURIComponent).join('/');
      return context.call(service, { method: 'DELETE', path: `${merchantPath(merchantId)}/notifications/${entry}` });
    });
  program
    .command('check <merchantId>')
    .description("probe a merchant's URL and show what happened; changes nothing")
    .action((merchantId: string) => context.call(service, { method: 'POST', path: `${merchantPath(merchantId)}/check` }));
  program
    .command('send-test <merchantId>')
    .description("send a merchant's URL an encrypted notification that moves no money, and show how it was answered")
    .option('--asked-by <person>', "the merchant's person who wants it; production sends none without")
    .action((merchantId: string, { askedBy }: { askedBy?: string }) =>
      context.call(service, { method: 'POST', path: `${merchantPath(merchantId)}/test-notification`, body: { askedBy } }),
    );
}

const dispatcher = 'webhook-dispatcher';

/** Commands that pause deliveries to the endpoint of a merchant, and let them go on. */
export function addEndpointCommands(program: Command, context: CommandContext): void {
  const endpoints = program.command('endpoints').description('endpoints of merchants, and pauses of deliveries to them');
  endpoints
    .command('show <merchantId...>')
    .description('where deliveries of these merchants go, and whether they are paused')
    .action((merchantIds: string[]) => {
      const body = { merchantIds: merchantIds.map(merchantId => idOf(merchantId, 'merchantId')) };
      return context.call(dispatcher, { method: 'POST', path: '/internal/endpoints', body });
    });
  endpoints
    .command('pauses')
    .description('pauses in effect, then the latest others: who, why, until when')
    .action(() => context.call(dispatcher, { method: 'GET', path: '/internal/endpoints/pauses' }));
  endpoints
    .command('pause <merchantId>')
    .description('let deliveries to the endpoint of this merchant wait; it ends by itself')
    .requiredOption('--minutes <minutes>', 'for how long, at most two thirds of DISPATCH_WINDOW_MS (10 minutes)')
    .requiredOption('--reason <text>', 'why, for the record')
    .action((merchantId: string, { minutes, reason }: { minutes: string; reason: string }) => {
      const body = { merchantId: idOf(merchantId, 'merchantId'), durationS: secondsOf(minutes), reason };
      return context.call(dispatcher, { method: 'POST', path: '/internal/endpoints/pauses', body });
    });
  endpoints
    .command('resume <pauseId>')
    .description('end a pause now')
    .action((pauseId: string) =>
      context.call(dispatcher, { method: 'POST', path: `/internal/endpoints/pauses/${idOf(pauseId, 'pauseId')}/end` }),
    );
}

function secondsOf(minutes: string): number {
  if (!/^\d{1,3}$/.test(minutes) || Number(minutes) === 0)
    throw new OperatorError(`--minutes must be a whole number of minutes, not ${minutes}`);
  return Number(minutes) * 60;
}
