import { queryOptions } from '@tanstack/react-query';
import { call } from '../api';
import type { LetterRefBody } from '../portal-api';

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

export const foundMerchantsQuery = (text: string) =>
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
