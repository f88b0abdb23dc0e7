import { MutationCache, QueryCache, QueryClient, queryOptions } from '@tanstack/react-query';
import { call, PortalError } from './api';

const triesMax = 2;

/**
 * A session that ended elsewhere, or a role that changed, shows as soon as a page asks for something; a wrong password is a 401 as well, so the
 * session is asked.
 */
function changedElsewhere(error: unknown, isAboutMe = false): void {
  // A proxy that refuses the question for the role, too, would refuse it again.
  if (error instanceof PortalError && error.status === 403 && !isAboutMe) void queryClient.invalidateQueries(meQuery);
  if (!(error instanceof PortalError && error.status === 401)) return;
  // A page that cannot be reached says so itself.
  const asked = call('GET /session').catch(() => undefined);
  void asked.then(now => {
    if (now && now.stage !== 'FULL') queryClient.setQueryData(isSessionOverQuery.queryKey, true);
  });
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: (error, { queryKey }) => changedElsewhere(error, queryKey === meQuery.queryKey) }),
  // Changes go on record.
  mutationCache: new MutationCache({
    onError: error => changedElsewhere(error),
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

/** The first merchants by name, two at most: whether a person has one merchant, several or none, and which one. */
export const merchantsQuery = queryOptions({
  queryKey: ['merchants'],
  queryFn: async () => (await call('GET /merchants', { query: { limit: 2 } })).merchants,
});

/** A page of merchants whose names begin so, or whose id it is; `after`: the merchant with which the page before ended. */
export const merchantPageQuery = (search: string, after?: number) =>
  queryOptions({
    queryKey: ['merchant-page', search, after],
    queryFn: () => call('GET /merchants', { query: { search, after } }),
  });

export const merchantQuery = (merchantId: number) =>
  queryOptions({
    queryKey: ['merchant', merchantId],
    queryFn: () => call('GET /merchants/{merchantId}', { path: { merchantId } }),
  });
