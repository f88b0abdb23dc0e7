import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { call, linkTo, PortalError } from './api';
import { dayBeganAt } from './format';
import type { LetterRefBody, ShownPayment } from './portal-api';

const triesMax = 2;

/** A session that ended elsewhere shows as soon as a page asks for something; a wrong password is a 401 as well, so the session is asked. */
function signedOutElsewhere(error: unknown): void {
  if (!(error instanceof PortalError && error.status === 401)) return;
  // A page that cannot be reached says so itself.
  const asked = call('GET /session').catch(() => undefined);
  void asked.then(now => {
    if (now && now.stage !== 'FULL') queryClient.setQueryData(isSessionOverQuery.queryKey, true);
  });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: signedOutElsewhere }),
  // Changes go on record.
  mutationCache: new MutationCache({
    onError: signedOutElsewhere,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['actions'] }),
  }),
  defaultOptions: {
    // A change that is pressed offline fails at once, and is never made later.
    mutations: { networkMode: 'always' },
    queries: {
      // Offline, a page says so.
      networkMode: 'always',
      staleTime: 5_000,
      // A refusal (4xx) would repeat; a failure of the network or the server may pass.
      retry: (tries, error) => tries < triesMax && !(error instanceof PortalError && error.status >= 400 && error.status < 500),
    },
  },
});

const readSession = async () => {
  const me = await call('GET /session');
  return me.stage === 'NONE' ? null : me;
};

/** null: nobody is signed in. */
export const meQuery = queryOptions({ queryKey: ['me'], staleTime: 60_000, queryFn: readSession });
/** As it is now, while a page shows what the person who opened it read. */
export const sessionNowQuery = queryOptions({ queryKey: ['session-now'], gcTime: 0, queryFn: readSession });
/** Whether the session of an open page has ended. */
export const isSessionOverQuery = queryOptions({
  queryKey: ['is-session-over'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => queryClient.getQueryData<boolean>(['is-session-over']) ?? false,
  initialData: false,
});

export const merchantsQuery = queryOptions({ queryKey: ['merchants'], queryFn: () => call('GET /merchants') });

export const homeQuery = (merchantId: number | undefined, range: '24h' | '7d') =>
  queryOptions({
    queryKey: ['home', merchantId, range],
    refetchInterval: 10_000,
    queryFn: () => call('GET /home', { query: { merchantId, range, dayBeganAt: dayBeganAt() } }),
  });

export interface PaymentSearch {
  merchantId?: number | undefined;
  search?: string | undefined;
  outcome?: string | undefined;
  status?: string | undefined;
  answer?: string | undefined;
  amount?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** A page of what is looked for: the newest, or the one behind (`after`) or before (`before`) another page. */
export interface PaymentPageSearch extends PaymentSearch {
  after?: string | undefined;
  before?: string | undefined;
}

/** The newest payments are asked for again while one looks; what lies further back is read once. */
export const paymentsQuery = (page: PaymentPageSearch) =>
  queryOptions({
    queryKey: ['payments', page],
    refetchInterval: page.after === undefined && page.before === undefined ? 3_000 : (false as const),
    queryFn: () => call('GET /payments', { query: page }),
  });

/** All that is looked for, from the newest on, whatever page is shown. */
export const exportLink = ({ after: _, before: __, ...filter }: PaymentPageSearch) =>
  linkTo('GET /payments/export', { query: filter });

/** Asked again while more may happen. */
export const paymentQuery = (transactionId: string, everyMs: number) =>
  queryOptions({
    queryKey: ['payment', transactionId],
    refetchInterval: ({ state }) => (state.data && mayGoOn(state.data.payment) ? everyMs : false),
    queryFn: () => call('GET /payments/{transactionId}', { path: { transactionId } }),
  });

/** The services tell of a payment one after the other, so that its outcome is known before the last step of its life is. */
const stepsArriveWithinMs = 120_000;

export function mayGoOn({ outcome, reversedBy, completedAt }: ShownPayment['payment']): boolean {
  const awaitsMoney = outcome === 'REVERSED' && reversedBy === null;
  return outcome === 'PENDING' || awaitsMoney || Date.now() - Date.parse(completedAt) < stepsArriveWithinMs;
}

export const stuckQuery = queryOptions({
  queryKey: ['stuck'],
  refetchInterval: 5_000,
  queryFn: () => call('GET /on-call/stuck'),
});
/** Each time it is asked goes on record: it is asked once. */
export const onCallTransactionQuery = (transactionId: string) =>
  queryOptions({
    queryKey: ['on-call-transaction', transactionId],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: () => call('GET /on-call/transactions/{transactionId}', { path: { transactionId } }),
  });

export const merchantPageQuery = (text: string) =>
  queryOptions({
    queryKey: ['found-merchants', text],
    queryFn: () => call('GET /on-call/merchants', { query: { search: text } }),
  });
/** On record, as the transaction. */
export const onCallMerchantQuery = (merchantId: number) =>
  queryOptions({
    queryKey: ['on-call-merchant', merchantId],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: () => call('GET /on-call/merchants/{merchantId}', { path: { merchantId } }),
  });

export const deadLettersQuery = (page: { service?: string | undefined; before?: number | undefined }) =>
  queryOptions({
    queryKey: ['dead-letters', 'list', page],
    refetchInterval: 15_000,
    queryFn: () => call('GET /on-call/dead-letters', { query: page }),
  });
/** Asked again while one looks: somebody else may ask, confirm or refuse. */
export const redriveQuery = queryOptions({
  queryKey: ['dead-letters', 'redrive'],
  refetchInterval: 15_000,
  queryFn: () => call('GET /on-call/dead-letters/redrive'),
});
export const redrivePreviewQuery = (letters: LetterRefBody[]) =>
  queryOptions({
    queryKey: ['dead-letters', 'preview', letters],
    queryFn: () => call('POST /on-call/dead-letters/preview', { body: { letters } }),
  });

export const notificationsQuery = (merchantId: number) =>
  queryOptions({
    queryKey: ['notifications', merchantId],
    queryFn: () => call('GET /merchants/{merchantId}/notifications', { path: { merchantId } }),
  });

export const credentialsQuery = queryOptions({ queryKey: ['credentials'], queryFn: () => call('GET /credentials') });
/** Asked again while one looks: somebody else may ask, confirm or refuse. */
export const bearerQuery = queryOptions({
  queryKey: ['bearer'],
  refetchInterval: 15_000,
  queryFn: () => call('GET /credentials/bearer'),
});
export const apiSessionsQuery = queryOptions({
  queryKey: ['api-sessions'],
  queryFn: () => call('GET /credentials/sessions'),
});
export const sessionsQuery = queryOptions({ queryKey: ['sessions'], queryFn: () => call('GET /sessions') });
export const passkeysQuery = queryOptions({ queryKey: ['passkeys'], queryFn: () => call('GET /passkeys') });
export const scenariosQuery = queryOptions({
  queryKey: ['scenarios'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => call('GET /sandbox/scenarios'),
});
export const peopleQuery = queryOptions({ queryKey: ['people'], queryFn: () => call('GET /people') });
