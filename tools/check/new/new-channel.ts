import { nameInApiChangelog } from './api-changelog.ts';
import { newChannelFiles } from './channel-files.ts';
import { addChannelMigrations } from './channel-migrations.ts';
import type { ChannelNames } from './channel-names.ts';
import { CannotAddError, type WorkspaceEdit } from './workspace-edit.ts';

const kinds = 'libs/dto/src/internal/channels.ts';
const configuration = 'apps/notification-config/src/notifications';
const messages = 'apps/recipient-messages/src/messages';
const senders = 'apps/recipient-messages/src/senders';

const contract = 'tools/check/docs/openapi/notes/public.yaml';

/** Files that spell out the refusal of an unknown channel (R-7-11). */
const refusalIn = [`${configuration}/notifications.int.spec.ts`, 'libs/dto/src/access/error-catalogue.spec.ts', contract];

/**
 * A channel that recipients are told over, beside EMAIL and SMS: its place in every table that the compiler demands, a sender that POSTs to an
 * HTTP gateway (off until one is set), two migrations, specs, and its line in the how-to. @throws CannotAddError
 */
export function newChannel(edit: WorkspaceEdit, name: string): ChannelNames {
  if (!/^[A-Z][A-Z0-9]{1,15}$/.test(name)) throw new CannotAddError('a channel is named in capitals, in one word: PUSH');
  const known = knownChannels(edit);
  if (known.includes(name)) throw new CannotAddError(`${kinds} has ${name} already`);
  const lower = name.toLowerCase();
  const names = { upper: name, lower, pascal: `${name[0]}${lower.slice(1)}` };
  edit.replace(kinds, /\] as const;/, `, '${name}'] as const;`);
  edit.replace(kinds, /(noRecipients: Recipients = \{[^}]*?),? \};/, `$1, ${name}: [] };`);
  addRecipientKind(edit, names);
  addSender(edit, names);
  for (const { path, text } of newChannelFiles(names)) edit.add(path, text);
  addChannelMigrations(edit, [...known, name]);
  tellOfIt(edit, names, known);
  return names;
}

function knownChannels(edit: WorkspaceEdit): string[] {
  const list = /channels = \[(.*?)\] as const/s.exec(edit.read(kinds))?.[1];
  if (list === undefined) throw new CannotAddError(`${kinds} holds no list of channels: add it by hand`);
  return [...list.matchAll(/'([A-Z0-9]+)'/g)].map(([, name]) => name!);
}

/** Adds the kind of recipient to notification-config. */
function addRecipientKind(edit: WorkspaceEdit, { upper }: ChannelNames): void {
  const entry = `  // A draft, narrow enough for any log line and header (T-25): say what an address of ${upper} is.
  ${upper}: {
    name: 'an address of 8 to 256 letters, digits and ._:/+=- for ${upper}',
    isValue: value => /^[A-Za-z0-9][A-Za-z0-9._:/+=-]{7,255}$/.test(value),
    keyOf: value => value,
    masked: value => \`***\${value.slice(-3)}\`,
  },
`;
  edit.insertBefore(`${configuration}/domain/recipient.ts`, /^\} as const satisfies Record<Channel, RecipientKind>;$/, entry);
  const spec = `${configuration}/notifications.int.spec.ts`;
  edit.replace(spec, /,? \} satisfies Record<Channel, string>;/, `, ${upper}: 'address-1' } satisfies Record<Channel, string>;`);
}

/** Texts, sender and settings, in recipient-messages. */
function addSender(edit: WorkspaceEdit, { upper, lower, pascal }: ChannelNames): void {
  const table = `${messages}/channel-table.ts`;
  const isImport = /^import .* from '\.{1,2}\/(senders|domain)\/.*';$/;
  edit.insertSorted(table, isImport, `import { ${lower}SenderOf } from '../senders/${lower}-sender';`);
  edit.insertSorted(table, isImport, `import { payment${pascal} } from './domain/${lower}-message';`);
  const opening = `opening({ texts: { ofPayment: payment${pascal}, ofChange: null, ofInvitation: null, ofFourEyes: null }, senderOf: ${lower}SenderOf })`;
  edit.insertBefore(table, /^\} satisfies Record<Channel, Opening>;$/, `  ${upper}: ${opening},\n`);
  edit.replace(`${senders}/senders.ts`, /(export interface SenderOptions \{[^}]*?)\n\}/, `$1\n  ${lower}: GatewayOptions;\n}`);
  const gateway = `    ${lower}: { url: settings.${upper}_GATEWAY_URL, token: settings.${upper}_GATEWAY_TOKEN },\n`;
  edit.insertBefore('apps/recipient-messages/src/config/env.ts', /^ {4}outboxFolder:/, gateway);
  const settings = `  ${upper}_GATEWAY_URL: {
    type: 'url',
    default: null,
    description: 'HTTP gateway that takes messages over ${upper} as JSON, \`{to, text, reference}\`; unset: the channel is off.',
  },
  ${upper}_GATEWAY_TOKEN: { type: 'string', secret: true, default: null, description: 'Bearer token for that gateway.' },
`;
  edit.insertBefore('apps/recipient-messages/src/config/env.ts', /^\}\);$/, settings);
}

/** The pages and specs that spell the channels out. */
function tellOfIt(edit: WorkspaceEdit, { upper }: ChannelNames, known: readonly string[]): void {
  const [before, after] = [known.join(' or '), [...known, upper].join(' or ')];
  for (const path of refusalIn) edit.replace(path, new RegExp(`Valid types are ${before}`, 'g'), `Valid types are ${after}`);
  edit.replace(contract, /enum: \[HTTP, ([A-Z0-9, ]+)\]/, `enum: [HTTP, $1, ${upper}]`);
  nameInApiChangelog(edit, `New value: \`${upper}\` among the types of recipients (\`type\`).`);
  const settings = `\`${upper}_GATEWAY_URL\`, \`${upper}_GATEWAY_TOKEN\``;
  const row = `| send messages over ${upper} | ${settings}; the gateway is sent \`{to, text, reference}\` as JSON and answers 2xx |\n`;
  edit.insertBefore('docs/how-to/send-email-and-sms.md', /^\| trust a certificate authority/, row);
}
