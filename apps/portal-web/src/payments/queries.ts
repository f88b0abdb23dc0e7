import { queryOptions } from '@tanstack/react-query';
import { call } from '../api';
import { linkTo } from '../links';
import type { ShownPayment } from '../portal-api';
import { timeZone } from '../time-zone';
import { instantsOf, type Range } from './read-moment';

export interface PaymentSearch {
  merchantId?: number | undefined;
  search?: string | undefined;
  outcome?: string | undefined;
  status?: string | undefined;
  answer?: string | undefined;
  amount?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** Instead of from and to: it moves with the time. */
  range?: Range | undefined;
}

/** A page of what is looked for: the newest, or the one behind (`after`) or before (`before`) another page. */
export interface PaymentPageSearch extends PaymentSearch {
  after?: string | undefined;
  before?: string | undefined;
}

/** With the columns that are not shown: what the address of the list holds. */
export interface ListSearch extends PaymentPageSearch {
  hidden?: string | undefined;
}

export type FileFormat = 'CSV' | 'XLSX';

/** The filter that the list used last: the way back from a payment. Signing out forgets it. */
export const shownKey = ['payments-shown'];

/** The newest payments are asked for again while one looks; what lies further back is read once. */
export const paymentsQuery = (page: PaymentPageSearch) =>
  queryOptions({
    queryKey: ['payments', page],
    refetchInterval: page.after === undefined && page.before === undefined ? 3_000 : (false as const),
    queryFn: () => call('GET /payments', { query: asked(page) }),
  });

export const totalsKey = ['payment-totals'];

/** Counts and sums of all that is looked for. */
export const totalsQuery = ({ after: _, before: __, ...filter }: PaymentPageSearch) =>
  queryOptions({
    queryKey: [...totalsKey, filter],
    refetchInterval: 5_000,
    queryFn: () => call('GET /payments/totals', { query: asked(filter) }),
  });

const asked = <T extends PaymentSearch>({ range, ...filter }: T) => ({ ...filter, ...(range && instantsOf(range)) });

/** All that is looked for, from the newest on, whatever page is shown. */
export const exportLink = ({ after: _, before: __, ...filter }: PaymentPageSearch, format: FileFormat) =>
  linkTo('GET /payments/export', { query: { ...asked(filter), format, timeZone: timeZone() } });

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
