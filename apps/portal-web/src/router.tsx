import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet, redirect } from '@tanstack/react-router';
import { meQuery, merchantsQuery, queryClient } from './queries';
import { hiddenIn, hiddenText } from './payments/hidden-columns';
import { type Range, ranges } from './payments/read-moment';
import { settleReading } from './language/reading';
import { Shell } from './shell';
import { Failure, NotHere } from './ui';

const root = createRootRoute({ component: Outlet, notFoundComponent: NotHere });

/** A person who is not signed in goes to the sign-in page, and afterwards to the page that was asked for. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(meQuery);
    if (me?.stage !== 'FULL') throw redirect({ to: '/sign-in', search: { next: location.href } });
    await settleReading(me.person);
    // Most pages ask for them next; they come beside the page's script.
    void queryClient.prefetchQuery(merchantsQuery);
  },
});

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
/** Search parameters come back as what they look like: an id is a number. */
const word = (value: unknown): string | undefined => (typeof value === 'number' ? String(value) : text(value));
const id = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;

const rangeOf = (value: unknown): Range | undefined => (Object.hasOwn(ranges, String(value)) ? (value as Range) : undefined);

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: (search: Record<string, unknown>) => ({ merchantId: id(search['merchantId']) }),
  component: lazyRouteComponent(() => import('./home/home'), 'Home'),
});
const payments = createRoute({
  getParentRoute: () => signedIn,
  path: '/payments',
  validateSearch: (search: Record<string, unknown>) => ({
    merchantId: id(search['merchantId']),
    search: word(search['search']),
    outcome: text(search['outcome']),
    status: text(search['status']),
    answer: text(search['answer']),
    amount: word(search['amount']),
    from: text(search['from']),
    to: text(search['to']),
    range: rangeOf(search['range']),
    after: text(search['after']),
    before: text(search['before']),
    hidden: hiddenText(hiddenIn(search['hidden'])),
  }),
  component: lazyRouteComponent(() => import('./payments/payments-page'), 'PaymentsPage'),
});
const payment = createRoute({
  getParentRoute: () => signedIn,
  path: '/payments/$transactionId',
  component: lazyRouteComponent(() => import('./payments/payment-page'), 'PaymentPage'),
});
const notifications = createRoute({
  getParentRoute: () => signedIn,
  path: '/notifications',
  validateSearch: (search: Record<string, unknown>) => ({ merchantId: id(search['merchantId']) }),
  component: lazyRouteComponent(() => import('./server/notifications-page'), 'NotificationsPage'),
});
const merchants = createRoute({
  getParentRoute: () => signedIn,
  path: '/merchants',
  validateSearch: (search: Record<string, unknown>): { search: string | undefined; after: number | undefined } => ({
    search: word(search['search']),
    after: id(search['after']),
  }),
  component: lazyRouteComponent(() => import('./merchants/merchants-page'), 'MerchantsPage'),
});
const merchant = createRoute({
  getParentRoute: () => signedIn,
  path: '/merchants/$merchantId',
  component: lazyRouteComponent(() => import('./merchants/merchant-page'), 'MerchantPage'),
});
const merchantImport = createRoute({
  getParentRoute: () => signedIn,
  path: '/merchants/import',
  component: lazyRouteComponent(() => import('./merchants/import-page'), 'ImportPage'),
});
const apiPage = createRoute({
  getParentRoute: () => signedIn,
  path: '/api',
  component: lazyRouteComponent(() => import('./api-access/api-page'), 'ApiPage'),
});
const sandbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/sandbox',
  component: lazyRouteComponent(() => import('./sandbox/sandbox-page'), 'SandboxPage'),
});
const till = createRoute({
  getParentRoute: () => signedIn,
  path: '/till',
  component: lazyRouteComponent(() => import('./till/till-page'), 'TillPage'),
});
const statements = createRoute({
  getParentRoute: () => signedIn,
  path: '/statements',
  validateSearch: (search: Record<string, unknown>) => ({
    merchantId: id(search['merchantId']),
    period: word(search['period']),
    timeZone: text(search['timeZone']),
  }),
  component: lazyRouteComponent(() => import('./statements/statements-page'), 'StatementsPage'),
});
const onCall = createRoute({
  getParentRoute: () => signedIn,
  path: '/on-call',
  validateSearch: (search: Record<string, unknown>): { transaction?: string | undefined; merchant?: string | undefined } => ({
    transaction: word(search['transaction']),
    merchant: word(search['merchant']),
  }),
  component: lazyRouteComponent(() => import('./on-call/on-call-page'), 'OnCallPage'),
});
const deadLetters = createRoute({
  getParentRoute: () => signedIn,
  path: '/on-call/dead-letters',
  validateSearch: (search: Record<string, unknown>): { service?: string | undefined; before?: number | undefined } => ({
    service: text(search['service']),
    before: id(search['before']),
  }),
  component: lazyRouteComponent(() => import('./on-call/dead-letters-page'), 'DeadLettersPage'),
});
const alerts = createRoute({
  getParentRoute: () => signedIn,
  path: '/alerts',
  component: lazyRouteComponent(() => import('./alerts/alerts-page'), 'AlertsPage'),
});
const stopAlerts = createRoute({
  getParentRoute: () => root,
  path: '/alerts/stop',
  component: lazyRouteComponent(() => import('./alerts/stop-page'), 'StopPage'),
});
const people = createRoute({
  getParentRoute: () => signedIn,
  path: '/people',
  component: lazyRouteComponent(() => import('./people/people-page'), 'PeoplePage'),
});
const security = createRoute({
  getParentRoute: () => signedIn,
  path: '/security',
  component: lazyRouteComponent(() => import('./security/security-page'), 'SecurityPage'),
});
const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: (search: Record<string, unknown>) => ({ next: text(search['next']) }),
  component: lazyRouteComponent(() => import('./sign-in/sign-in-page'), 'SignInPage'),
});
const accept = createRoute({
  getParentRoute: () => root,
  path: '/accept',
  component: lazyRouteComponent(() => import('./sign-in/accept-page'), 'AcceptPage'),
});

const forgotten = createRoute({
  getParentRoute: () => root,
  path: '/forgotten',
  component: lazyRouteComponent(() => import('./sign-in/forgotten-page'), 'ForgottenPage'),
});
const sso = createRoute({
  getParentRoute: () => root,
  path: '/sso/$company',
  component: lazyRouteComponent(() => import('./sign-in/sso-page'), 'SsoPage'),
});

const routeTree = root.addChildren([
  signIn,
  accept,
  forgotten,
  sso,
  stopAlerts,
  signedIn.addChildren([
    home,
    merchants,
    merchant,
    merchantImport,
    payments,
    payment,
    notifications,
    apiPage,
    sandbox,
    till,
    statements,
    onCall,
    deadLetters,
    alerts,
    people,
    security,
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/console',
  scrollRestoration: false,
  defaultErrorComponent: ({ error, reset }) => <Failure error={error} again={reset} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
