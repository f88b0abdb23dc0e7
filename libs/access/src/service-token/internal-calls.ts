import {
  deadLetterOperations,
  type PortalAccountOperation,
  type PortalEndpointOperation,
  type PortalNotificationOperation,
  type PortalOperation,
  type PortalSandboxOperation,
} from '@paycode/dto';
import type { PersonDemand } from '../person/person-demand';
import type { operatorName, ServiceName } from './token-keys';

export type CallerName = ServiceName | typeof operatorName;

/** One internal route and who may call it. */
export interface InternalCall {
  callee: ServiceName;
  method: string;
  /** As the router knows the route: `/internal/accounts/:username`. */
  route: string;
  /** Callers by their service tokens, or the reason why the route needs no service token. */
  callers: readonly CallerName[] | { noToken: string };
  /** For whom the portal has to call, or why it may call for nobody. A row without it refuses the portal. */
  person?: PersonDemand | { nobody: string } | undefined;
}

type Row = readonly [method: string, route: string, callers: InternalCall['callers'], person?: InternalCall['person']];

const operator = ['operator'] as const;
const portal = ['portal'] as const;
const portalOrOperator = ['portal', 'operator'] as const;
/** And the dispatcher of another cell, which has admitted the caller. */
const relayed = ['webhook-dispatcher'] as const;
/** Reasons why the portal may call for nobody: nothing is changed for a tenant, and neither a payer nor a key is shown. */
const names = { nobody: 'names of merchants, also for programs and for work in the background' };
const state = { nobody: 'state of deliveries and reversals, without payers or people' };
const proxies = { noToken: 'proxies, by a token of EXTERNAL_AUTHORIZATION_TOKENS' };

/** Of each service that keeps notifications. */
const erasures: readonly Row[] = [
  ['POST', '/internal/erasures', operator],
  ['POST', '/internal/erasures/preview', operator],
  ['POST', '/internal/erasures/search', operator],
];

/** Of each service whose consumer groups park what they cannot use. */
const deadLetters: readonly Row[] = [
  ['GET', '/internal/dead-letters', portalOrOperator, 'ON_CALL'],
  ...deadLetterOperations.map((operation): Row => ['POST', `/internal/dead-letters/${operation}`, portalOrOperator, 'ON_CALL']),
];

type Demands<Operation extends string> = Record<Operation, PersonDemand>;

/** Calls that the portal makes for a person. A new operation does not compile before its permission is named. */
function forPerson<Operation extends string>(
  capability: string,
  demands: Demands<Operation>,
  others: readonly CallerName[] = [],
): Row[] {
  return Object.entries<PersonDemand>(demands).map(([operation, demand]) => {
    return ['POST', `/internal/portal/${capability}/${operation}`, [...portal, ...others], demand];
  });
}

const accountDemands: Demands<PortalAccountOperation> = {
  show: 'ANY',
  'new-password': 'CREDENTIALS',
  'set-public-key': 'CREDENTIALS',
  'try-public-key': 'ANY',
  'require-challenge': 'CREDENTIALS',
  'bind-to-sources': 'CREDENTIALS',
  'enable-bearer': 'CREDENTIALS',
  sessions: 'ANY',
  'end-session': 'CREDENTIALS',
};

const configurationDemands: Demands<PortalOperation> = {
  list: 'ANY',
  'add-http': 'CONFIGURE',
  'remove-http': 'CONFIGURE',
  'renew-key': 'CONFIGURE',
  'add-recipient': 'CONFIGURE',
  'remove-recipient': 'CONFIGURE',
  check: 'ANY',
  'send-test': 'TEST',
};

/** These hold the payer's data, but for `repeat`. */
const notificationDemands: Demands<PortalNotificationOperation> = { show: 'NOTIFICATION', fetch: 'NOTIFICATION', repeat: 'TEST' };
const sandboxDemands: Demands<PortalSandboxOperation> = { 'make-code': 'TEST', pay: 'TEST', follow: 'TEST' };
const endpointDemands: Demands<PortalEndpointOperation> = { pause: 'ON_CALL', resume: 'ON_CALL' };

const rows: Partial<Record<ServiceName, readonly Row[]>> = {
  'auth-session': [
    ['POST', '/internal/authorize', ['api-gateway', 'operator']],
    ['*', '/internal/authorize/http/original', proxies],
    ['*', '/internal/authorize/http/forwarded', proxies],
    ['*', '/internal/authorize/http/path/*', proxies],
    ['GET', '/internal/jwks', { noToken: 'public keys' }],
    ['POST', '/internal/keys/rotate', operator],
    ['POST', '/internal/keys/replace', operator],
    ['GET', '/internal/service-public-key', operator],
    ['POST', '/internal/accounts', operator],
    ['GET', '/internal/accounts/:username', operator],
    ['POST', '/internal/accounts/:username/password', operator],
    ['POST', '/internal/accounts/:username/bearer', operator],
    ['PUT', '/internal/accounts/:username/public-key', operator],
    ['PUT', '/internal/accounts/:username/source-addresses', operator],
    ['GET', '/internal/limits', operator],
    ['GET', '/internal/limits/:username', operator],
    ['PUT', '/internal/limits/:username', operator],
    ['GET', '/internal/accounts/:username/sessions', operator],
    ['POST', '/internal/accounts/:username/sessions/end-all', operator],
    ...forPerson('accounts', accountDemands),
    ['POST', '/internal/console/proof', portal, { nobody: 'the secret of a session is what proves the person here' }],
    ['POST', '/internal/console/invitation', portal, { nobody: 'the secret of an invitation is what proves the person here' }],
    ['POST', '/internal/console/alert', portal, { nobody: 'the secret of an alert is what proves the person here' }],
    ['POST', '/internal/console/owners', ['notification-config']],
  ],
  'notification-config': [
    // The simulator asks whether a merchant can be told of a payment before it makes a code for it.
    ['POST', '/internal/routes', ['webhook-dispatcher', 'recipient-messages', 'payment-simulator', 'operator']],
    ['GET', '/internal/merchants/:merchantId', ['payment-simulator', 'operator']],
    ['PUT', '/internal/merchants/:merchantId', operator],
    ['PUT', '/internal/merchants/:merchantId/encryption', operator],
    ['DELETE', '/internal/merchants/:merchantId/notifications/HTTP', operator],
    ['DELETE', '/internal/merchants/:merchantId/notifications/:type/:value', operator],
    ['POST', '/internal/merchants/:merchantId/check', operator],
    ['POST', '/internal/merchants/:merchantId/test-notification', operator],
    ['POST', '/internal/webhook-keys/reseal', operator],
    ['GET', '/internal/cells', ['webhook-dispatcher', 'operator']],
    ['PUT', '/internal/cells/:name', operator],
    ['POST', '/internal/cells/entries', operator],
    ['POST', '/internal/portal/merchants', portal, names],
    ['POST', '/internal/portal/merchants/ids', portal, names],
    ['POST', '/internal/portal/merchants/page', portal, names],
    ['GET', '/internal/portal/merchants/old-keys', portal, state],
    ...forPerson('notifications', configurationDemands),
  ],
  'webhook-dispatcher': [
    ['POST', '/internal/deliveries/close', ['reversal-scheduler', 'operator', ...relayed]],
    ['GET', '/internal/deliveries', portalOrOperator, state],
    ['GET', '/internal/deliveries/:transactionId', [...portalOrOperator, ...relayed], state],
    ['GET', '/internal/shards', portalOrOperator, state],
    ['GET', '/internal/cells/ranges', operator],
    ['POST', '/internal/cells/end', operator],
    // By a later cell.
    ['POST', '/internal/cells/known', ['webhook-dispatcher']],
    ['POST', '/internal/cells/notification', relayed],
    ['GET', '/internal/cells/view', ['reversal-scheduler']],
    ['POST', '/internal/deliveries/:transactionId/redeliver', [...portalOrOperator, ...relayed], 'ON_CALL'],
    // A pause names who made it.
    ['POST', '/internal/endpoints', portalOrOperator, 'NO_TENANT'],
    ['GET', '/internal/endpoints/certificates', portal, state],
    ['GET', '/internal/endpoints/pauses', portalOrOperator, 'ON_CALL'],
    ['POST', '/internal/endpoints/pauses', operator],
    ['POST', '/internal/endpoints/pauses/:pauseId/end', operator],
    ...forPerson('endpoints', endpointDemands),
    ...forPerson('notifications', notificationDemands, relayed),
    ...deadLetters,
    ...erasures,
  ],
  'recipient-messages': [
    ['POST', '/internal/recipient-messages/notices', ['notification-config']],
    ['POST', '/internal/recipient-messages/invitations', portal, 'INVITED'],
    ['POST', '/internal/recipient-messages/alerts', portal, 'ALERTED'],
    ['POST', '/internal/recipient-messages/four-eyes', portal, 'NO_TENANT'],
    ...deadLetters,
    ...erasures,
  ],
  'reversal-scheduler': [
    ['POST', '/internal/reversals/arm', ['webhook-dispatcher']],
    ['POST', '/internal/reversals/settle', ['webhook-dispatcher']],
    // By the scheduler of another cell too, which has admitted the caller.
    ['GET', '/internal/reversals/:transactionId', [...portalOrOperator, 'reversal-scheduler'], state],
    ['GET', '/internal/cells/jobs', operator],
    ...deadLetters,
  ],
  'payment-simulator': [
    ['POST', '/internal/transactions', operator],
    ['GET', '/internal/transactions/:transactionId', operator],
    ...forPerson('sandbox', sandboxDemands),
    ...erasures,
  ],
  portal: [
    ['POST', '/internal/people', operator],
    ['GET', '/internal/people', operator],
    ['GET', '/internal/owner-recoveries', operator],
    ['POST', '/internal/owner-recoveries', operator],
    ['POST', '/internal/owner-recoveries/:recoveryId/confirm', operator],
    ['POST', '/internal/owner-recoveries/:recoveryId/withdraw', operator],
    ...deadLetters,
    ['GET', '/internal/identity-providers', operator],
    ['PUT', '/internal/identity-providers/:company', operator],
    ['DELETE', '/internal/identity-providers/:company', operator],
  ],
};

/** The only table of who may call which internal route (T-27). A route without a row answers 403 to every caller. */
export const internalCalls: readonly InternalCall[] = Object.entries(rows).flatMap(([callee, calls]) =>
  calls.map(([method, route, callers, person]) => ({ callee: callee as ServiceName, method, route, callers, person })),
);

/** Finds the rows of one service by the matched route, independent of the spelling of the request's path. */
export class InternalCallTable {
  private readonly byRoute: Map<string, InternalCall>;

  constructor(callee: string, calls: readonly InternalCall[] = internalCalls) {
    const own = calls.filter(call => call.callee === callee);
    this.byRoute = new Map(own.map(call => [`${call.method} ${call.route}`, call]));
  }

  /** undefined: there is no such row. */
  rowOf(method: string, route: string): InternalCall | undefined {
    return this.byRoute.get(`${method} ${route}`) ?? this.byRoute.get(`* ${route}`);
  }
}
