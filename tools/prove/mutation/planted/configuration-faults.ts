import type { PlantedFault } from './planted-fault.ts';

const config = 'apps/notification-config/src';
const notificationsSpec = `${config}/notifications/notifications.int.spec.ts`;
const storeSpec = `${config}/notifications/persistence/postgres-configuration.store.int.spec.ts`;
const capsSpec = `${config}/probing/probe-caps.int.spec.ts`;

/** Webhook URLs, keys, recipients and probes. */
export const configurationFaults: readonly PlantedFault[] = [
  {
    id: 'psp-owns-all',
    breaks: 'Any PSP owns any merchant.',
    against: 'T-24',
    file: `${config}/notifications/persistence/configuration.sql.ts`,
    find: 'merchant.psp_id = $3 or merchant.acquirer = $4)`',
    put: '$3::bigint is not null or merchant.acquirer = $4)`',
    specs: [notificationsSpec],
  },
  {
    id: 'renew-key-lease',
    breaks: 'renewKey answers while a dispatcher may still start a request under the old key.',
    against: 'R-4.3-10',
    file: `${config}/notifications/renew-key.service.ts`,
    find: '    await this.lease.runsOut();\n',
    put: '',
    specs: [`${config}/routes/route-lease.int.spec.ts`],
  },
  {
    id: 'change-url-lease',
    breaks: 'addHttp answers while a dispatcher may still start a request to the old URL.',
    against: 'P-I11',
    file: `${config}/notifications/set-http-notification.service.ts`,
    find: '    if (changed.after.isHttpFresh) await this.lease.runsOut();\n',
    put: '',
    specs: [`${config}/routes/route-lease.int.spec.ts`],
  },
  {
    id: 'recipients-cap',
    breaks: 'A merchant may have 21 recipients.',
    against: 'A-53',
    file: `${config}/notifications/recipients.service.ts`,
    find: 'current.recipients.length >= recipientsMax',
    put: 'current.recipients.length > recipientsMax',
    specs: [notificationsSpec],
  },
  {
    id: 'suspended-during-probe',
    breaks: 'A merchant that is suspended while its URL is probed gets the URL all the same.',
    against: 'A-44',
    file: `${config}/notifications/set-http-notification.service.ts`,
    find: 'settingHttp(owned(current), {',
    put: 'settingHttp(current, {',
    specs: [`${config}/notifications/merchant-changes-meanwhile.int.spec.ts`],
  },
  {
    id: 'sms-told-of-changes',
    breaks: 'Notices of a changed URL go to SMS numbers, as if they were e-mail addresses.',
    against: 'T-15',
    file: `${config}/notifications/persistence/configuration.sql.ts`,
    find: "from recipient where merchant_id = $1 and type = 'EMAIL'",
    put: 'from recipient where merchant_id = $1',
    specs: [`${config}/change-notices/hand-over-notices.int.spec.ts`, storeSpec],
  },
  {
    id: 'probe-slot-kept',
    breaks: 'A probe that has ended keeps the merchant from probing again.',
    against: 'T-28',
    file: `${config}/probing/validate-url.service.ts`,
    find: '      await this.budget.release(request.merchantId, permit.probeId);\n',
    put: '',
    specs: [capsSpec],
  },
  {
    id: 'probe-window-default',
    breaks: 'URLs are validated for 30 seconds instead of 10.',
    against: 'R-4.3-4',
    file: `${config}/config/env.ts`,
    find: 'default: 10_000,\n    min: 100,',
    put: 'default: 30_000,\n    min: 100,',
    specs: [`${config}/probing/probe-window.int.spec.ts`],
  },
  {
    id: 'probe-cap-of-origin',
    breaks: 'One target can be probed without limit by many callers.',
    against: 'T-28',
    file: `${config}/probing/persistence/postgres-probe-budget.store.ts`,
    find: '      [`origin:${new URL(url).origin}`, origin],\n',
    put: '',
    specs: [capsSpec],
  },
  {
    id: 'notices-lost',
    breaks: 'A notice of a changed URL is removed although it could not be handed over.',
    against: 'T-15',
    file: `${config}/change-notices/hand-over-notices.service.ts`,
    find: 'write: part => this.mailer.handOver(part),',
    put: 'write: async part => void (await this.mailer.handOver(part).catch(Boolean)),',
    specs: [`${config}/change-notices/hand-over-notices.int.spec.ts`],
  },
  {
    id: 'change-without-lock',
    breaks: 'Two changes of one merchant at the same time overwrite each other.',
    against: 'A-51',
    file: `${config}/notifications/persistence/configuration.sql.ts`,
    find: "'select 1 from merchant where merchant_id = $1 for update'",
    put: "'select 1 from merchant where merchant_id = $1'",
    specs: [storeSpec, notificationsSpec],
  },
];
