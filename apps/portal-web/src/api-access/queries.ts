import { queryOptions } from '@tanstack/react-query';
import { call } from '../api';

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
