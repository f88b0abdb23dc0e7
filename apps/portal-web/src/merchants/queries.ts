import { queryOptions } from '@tanstack/react-query';
import { call } from '../api';
import { dayBeganAt } from '../time-zone';

export const receiversQuery = queryOptions({
  queryKey: ['receivers'],
  refetchInterval: 10_000,
  queryFn: () => call('GET /home/receivers', { query: { dayBeganAt: dayBeganAt() } }),
});

/** Of one merchant, or of all. */
export const todayQuery = (merchantId?: number) =>
  queryOptions({
    queryKey: ['today', merchantId],
    refetchInterval: 10_000,
    queryFn: () => call('GET /home', { query: { merchantId, dayBeganAt: dayBeganAt() } }),
  });

export const merchantPeopleQuery = (merchantId: number) =>
  queryOptions({
    queryKey: ['merchant-people', merchantId],
    queryFn: () => call('GET /merchants/{merchantId}/people', { path: { merchantId } }),
  });
