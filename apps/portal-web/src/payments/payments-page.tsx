import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { fileOf, PortalError } from '../api';
import type { PaymentPage } from '../portal-api';
import { merchantsQuery, queryClient } from '../queries';
import { Failure, Money, outcomeName, Waiting } from '../ui';
import { ColumnsMenu } from './columns-menu';
import { PaymentFilters } from './payment-filters';
import { PaymentTable } from './payment-table';
import { PaymentViews } from './payment-views';
import {
  exportLink,
  type FileFormat,
  type ListSearch,
  type PaymentPageSearch,
  type PaymentSearch,
  paymentsQuery,
  shownKey,
  totalsKey,
  totalsQuery,
} from './queries';
import { rich, t, type Text, useTitle } from '../language/language';

/** Payments, newest first, as far back as one asks. The address holds the filter, so a person can send it to a colleague. */
export function PaymentsPage(): ReactNode {
  const search = useSearch({ from: '/signed-in/payments' });
  const { hidden, ...page } = search;
  const navigate = useNavigate({ from: '/payments' });
  const go = (next: ListSearch) => void navigate({ search: before => ({ ...before, ...next }) as never });
  // A new filter starts at the newest payment.
  const change = (next: PaymentSearch) => go({ ...next, after: undefined, before: undefined });
  const list = useQuery({ ...paymentsQuery(page), placeholderData: keepPreviousData });
  useListKeys();
  // A payment that has settled in the list is not "pending" in the sums below it.
  useEffect(() => void queryClient.invalidateQueries({ queryKey: totalsKey }, { cancelRefetch: false }), [list.data]);
  useEffect(() => void queryClient.setQueryData(shownKey, search), [search]);
  const { data: merchants = [] } = useQuery(merchantsQuery);
  useTitle('Payments');
  return (
    <>
      <PaymentViews search={search}>
        <ColumnsMenu hidden={hidden} isOfMany={merchants.length > 1} onChange={next => go({ hidden: next })} />
      </PaymentViews>
      <PaymentFilters filter={page} onChange={change} />
      {list.isError && <Failure error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Waiting what="Reading payments" />}
      {list.data?.payments.length === 0 && <Nothing isFiltered={Object.values(page).some(value => value !== undefined)} />}
      {list.data?.isWhole && (
        <p className="dim">
          {t('More than 5,000 payments begin with this: shown are those that are exactly this. Type more to find others.')}
        </p>
      )}
      {list.data && list.data.payments.length > 0 && (
        <div className="payment-list">
          <PaymentTable label="Payments" payments={list.data.payments} hidden={hidden} />
        </div>
      )}
      <PaymentTotals filter={filterOf(page)} />
      {list.data && list.data.payments.length > 0 && <PaymentExport filter={page} />}
      {list.data && <Pages page={list.data} onGo={go} isFirst={page.after === undefined && page.before === undefined} />}
    </>
  );
}

const filterOf = ({ after: _, before: __, ...filter }: PaymentPageSearch): PaymentSearch => filter;

function Pages(props: { page: PaymentPage; isFirst: boolean; onGo: (next: PaymentPageSearch) => void }): ReactNode {
  const { next, previous } = props.page;
  if (props.isFirst && !next) return null;
  return (
    <nav className="row" aria-label={t('Pages of the list')}>
      <button type="button" disabled={props.isFirst} onClick={() => props.onGo({ after: undefined, before: undefined })}>
        {t('Newest')}
      </button>
      <button type="button" disabled={!previous} onClick={() => props.onGo({ after: undefined, before: previous ?? undefined })}>
        {t('Newer')}
      </button>
      <button type="button" disabled={!next} onClick={() => props.onGo({ after: next ?? undefined, before: undefined })}>
        {t('Older')}
      </button>
    </nav>
  );
}

/** `j` and `k` move in the list, Enter opens as on every link; `/` and Ctrl K go to the search. */
function useListKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.matches('input, select, textarea');
      const isSearch = event.key === '/' ? !isTyping : event.key === 'k' && (event.ctrlKey || event.metaKey);
      const step = { j: 1, k: -1 }[event.key];
      if (isSearch) document.querySelector<HTMLElement>('[data-search]')?.focus();
      else if (step && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) moveBy(step);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function moveBy(step: number): void {
  const lines = [...document.querySelectorAll<HTMLElement>('[data-line]')];
  const next = lines.indexOf(document.activeElement as HTMLElement) + step;
  lines[Math.min(Math.max(next, 0), lines.length - 1)]?.focus();
}

function Nothing({ isFiltered }: { isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <div className="notice">
        <p>{t('No payment fits. Type how its reference, code or transaction id begins.')}</p>
        <Link to="/payments" search={{} as never}>
          {t('Show all payments')}
        </Link>
      </div>
    );
  return (
    <div className="notice">
      <p>{t('No payments yet. Make a payment code by the API and pay it; it shows here within a second:')}</p>
      <pre>
        POST /pluto/code/create{'\n'}
        {'{"merchantReference":"order-1","amount":25.50,"currencyCode":"ZAR"}'}
      </pre>
    </div>
  );
}

/** Count and sums of all that is looked for, whatever page is shown. */
function PaymentTotals({ filter }: { filter: PaymentSearch }): ReactNode {
  const { data } = useQuery(totalsQuery(filter));
  if (!data || data.totals.length === 0) return null;
  if (data.isCut)
    return (
      <p className="dim">{t('More than 5,000 payments fit: with a shorter time, or another filter, they are added up here.')}</p>
    );
  const count = data.totals.reduce((sum, each) => sum + each.count, 0);
  const sums = data.totals.filter(({ outcome }) => outcome !== 'NO_MONEY');
  return (
    <p className="totals" aria-label={t('Totals')}>
      <span className="dim">{t('{count, plural, one {# payment} other {# payments}}', { count })}</span>
      {sums.map(({ outcome, refunded, refundedAmount, ...sum }) => (
        <span key={`${outcome} ${sum.currencyCode}`} className={outcome.toLowerCase()}>
          <Money {...sum} /> {outcomeName(outcome).toLowerCase()}
          {refunded > 0 && (
            <>
              {rich(', {amount} of it refunded', {
                amount: <Money amount={refundedAmount} currencyCode={sum.currencyCode} />,
              })}
            </>
          )}
        </span>
      ))}
    </p>
  );
}

const exportLabels: [FileFormat, Text][] = [
  ['CSV', 'Export CSV'],
  ['XLSX', 'Export Excel (XLSX)'],
];

/** Makes the file and says how far it is; a refusal, or a session that has ended, shows here. */
function PaymentExport({ filter }: { filter: PaymentSearch }): ReactNode {
  const [kilobytes, setKilobytes] = useState(0);
  const making = useMutation({
    mutationFn: async (format: FileFormat) => {
      setKilobytes(0);
      const { name, blob } = await fileOf(exportLink(filter, format), bytes => setKilobytes(Math.ceil(bytes / 1_000)));
      if (blob.size === 0) throw new PortalError(0, t('The file came without content. Please try again.'));
      const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name });
      link.click();
      // The browser reads it after the click.
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    },
  });
  return (
    <div className="export">
      <div className="row">
        {exportLabels.map(([format, label]) => (
          <button key={format} type="button" disabled={making.isPending} onClick={() => making.mutate(format)}>
            {making.isPending && making.variables === format ? t('Exporting…') : t(label)}
          </button>
        ))}
        <span className="dim" role="status">
          {making.isPending && t('{kilobytes} kB so far', { kilobytes })}
          {making.isSuccess && t('Exported, {kilobytes} kB.', { kilobytes })}
          {making.isIdle &&
            t(
              'All that fits the filters, with reversals and refunds as lines of their own; at most 100,000 lines, the newest first.',
            )}
        </span>
      </div>
      {making.isError && <Failure error={making.error} again={() => making.mutate(making.variables)} />}
    </div>
  );
}
