import {
  deadLetterOperations,
  portalAccountOperations,
  portalEndpointOperations,
  portalNotificationOperations,
  portalOperations,
  portalSandboxOperations,
} from '@paycode/dto';
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
}

type Row = readonly [method: string, route: string, callers: InternalCall['callers']];

const operator = ['operator'] as const;
const portal = ['portal'] as const;
const proxies = { noToken: 'proxies, by a token of EXTERNAL_AUTHORIZATION_TOKENS' };

/** Of each service that keeps notifications. */
const erasures: readonly Row[] = [
  ['POST', '/internal/erasures', operator],
  ['POST', '/internal/erasures/preview', operator],
  ['POST', '/internal/erasures/search', operator],
];

/** Of each service whose consumer groups park what they cannot use. */
const deadLetters: readonly Row[] = [
  ['GET', '/internal/dead-letters', ['portal', 'operator']],
  ...deadLetterOperations.map((operation): Row => ['POST', `/internal/dead-letters/${operation}`, ['portal', 'operator']]),
];

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
    ['GET', '/internal/accounts/:username/sessions', operator],
    ['POST', '/internal/accounts/:username/sessions/end-all', operator],
    ...portalAccountOperations.map((operation): Row => ['POST', `/internal/portal/accounts/${operation}`, portal]),
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
    // Whose merchants a person may touch is the portal's to know; each call names who asks for it.
    ['POST', '/internal/portal/merchants', portal],
    ['POST', '/internal/portal/change-notices/claim', portal],
    ['POST', '/internal/portal/change-notices/done', portal],
    ...portalOperations.map((operation): Row => ['POST', `/internal/portal/notifications/${operation}`, portal]),
  ],
  'webhook-dispatcher': [
    ['POST', '/internal/deliveries/close', ['reversal-scheduler', 'operator']],
    ['GET', '/internal/deliveries', ['portal', 'operator']],
    ['GET', '/internal/deliveries/:transactionId', ['portal', 'operator']],
    ['GET', '/internal/shards', ['portal', 'operator']],
    ['POST', '/internal/deliveries/:transactionId/redeliver', ['portal', 'operator']],
    ['POST', '/internal/endpoints', ['portal', 'operator']],
    ['GET', '/internal/endpoints/pauses', ['portal', 'operator']],
    ['POST', '/internal/endpoints/pauses', operator],
    ['POST', '/internal/endpoints/pauses/:pauseId/end', operator],
    ...portalEndpointOperations.map((operation): Row => ['POST', `/internal/portal/endpoints/${operation}`, portal]),
    // Holds the payer's data: the portal alone, for people of the merchant, each of whom it writes down.
    ...portalNotificationOperations.map((operation): Row => ['POST', `/internal/portal/notifications/${operation}`, portal]),
    ...deadLetters,
    ...erasures,
  ],
  'recipient-messages': [
    ['POST', '/internal/recipient-messages/notices', ['notification-config', 'portal']],
    ['POST', '/internal/recipient-messages/invitations', portal],
    ['POST', '/internal/recipient-messages/four-eyes', portal],
    ...deadLetters,
    ...erasures,
  ],
  'reversal-scheduler': [
    ['POST', '/internal/reversals/arm', ['webhook-dispatcher']],
    ['POST', '/internal/reversals/settle', ['webhook-dispatcher']],
    ['GET', '/internal/reversals/:transactionId', ['portal', 'operator']],
    ...deadLetters,
  ],
  'payment-simulator': [
    ['POST', '/internal/transactions', operator],
    ['GET', '/internal/transactions/:transactionId', operator],
    ...portalSandboxOperations.map((operation): Row => ['POST', `/internal/portal/sandbox/${operation}`, portal]),
    ...erasures,
  ],
  portal: [
    ['POST', '/internal/people', operator],
    ['GET', '/internal/people', operator],
    ...deadLetters,
    ['GET', '/internal/identity-providers', operator],
    ['PUT', '/internal/identity-providers/:company', operator],
    ['DELETE', '/internal/identity-providers/:company', operator],
  ],
};

/** The only table of who may call which internal route (T-27). A route without a row answers 403 to every caller. */
export const internalCalls: readonly InternalCall[] = Object.entries(rows).flatMap(([callee, calls]) =>
  calls.map(([method, route, callers]) => ({ callee: callee as ServiceName, method, route, callers })),
);

/** Finds the rows of one service by the matched route, independent of the spelling of the request's path. */
export class InternalCallTable {
  private readonly byRoute: Map<string, InternalCall['callers']>;

  constructor(callee: string, calls: readonly InternalCall[] = internalCalls) {
    const own = calls.filter(call => call.callee === callee);
    this.byRoute = new Map(own.map(({ method, route, callers }) => [`${method} ${route}`, callers]));
  }

  /** undefined: there is no such row. */
  callersOf(method: string, route: string): InternalCall['callers'] | undefined {
    return this.byRoute.get(`${method} ${route}`) ?? this.byRoute.get(`* ${route}`);
  }
}
