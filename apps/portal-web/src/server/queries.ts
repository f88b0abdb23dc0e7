import { queryOptions } from '@tanstack/react-query';
import { call } from '../api';

export const notificationsQuery = (merchantId: number) =>
  queryOptions({
    queryKey: ['notifications', merchantId],
    queryFn: () => call('GET /merchants/{merchantId}/notifications', { path: { merchantId } }),
  });
