import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import type { Outcome, Payment } from '../api-types';
import { type PaymentSearch, paymentsPage } from '../queries';
import { Failure, Field, MerchantChoice, Moment, Money, OutcomeTag, Waiting } from '../ui';

const outcomes: [Outcome, string][] = [
  ['SETTLED', 'Settled'],
  ['REVERSED', 'Reversed'],
  ['PENDING', 'Pending'],
  ['NO_MONEY', 'Notices and failed payments'],
];

/** Payments, newest first, as far back as one asks. What is looked for stands in the address: it can be sent to a colleague. */
export function PaymentsPage(): ReactNode {
  const filter = useSearch({ from: '/signed-in/payments' });
  const navigate = useNavigate({ from: '/payments' });
  const change = (next: PaymentSearch) => void navigate({ search: before => ({ ...before, ...next }) as never });
  const list = useInfiniteQuery({
    queryKey: ['payments', filter],
    queryFn: ({ pageParam }) => paymentsPage(filter, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: page => page.next ?? undefined,
    placeholderData: keepPreviousData,
    refetchInterval: query => ((query.state.data?.pages.length ?? 0) > 1 ? false : 3_000),
  });
  useEffect(() => void (document.title = 'Payments · Paycode'), []);
  const payments = list.data?.pages.flatMap(page => page.payments) ?? [];
  return (
    <>
      <h1>Payments</h1>
      <Filters filter={filter} onChange={change} />
      {list.isError && <Failure error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Waiting what="Reading payments" />}
      {list.data && payments.length === 0 && <Nothing isFiltered={Object.values(filter).some(value => value !== undefined)} />}
      {payments.length > 0 && <PaymentTable payments={payments} />}
      {list.hasNextPage && (
        <button type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {list.isFetchingNextPage ? 'Reading older payments…' : 'Older payments'}
        </button>
      )}
    </>
  );
}

function Filters({ filter, onChange }: { filter: PaymentSearch; onChange: (next: PaymentSearch) => void }): ReactNode {
  const [search, setSearch] = useState(filter.search ?? '');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ search: search.trim() || undefined });
  };
  return (
    <form className="filters" role="search" onSubmit={submit}>
      <Field
        label="Transaction id, reference or code"
        type="search"
        value={search}
        maxLength={64}
        onChange={event => setSearch(event.target.value)}
      />
      <button type="submit">Search</button>
      <div className="field">
        <label htmlFor="outcome">Outcome</label>
        <select
          id="outcome"
          value={filter.outcome ?? ''}
          onChange={event => onChange({ outcome: event.target.value || undefined })}
        >
          <option value="">All</option>
          {outcomes.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <Field
        label="From"
        type="date"
        value={dayOf(filter.from)}
        onChange={event => onChange({ from: instantOf(event.target.value, 0) })}
      />
      <Field
        label="Until"
        type="date"
        value={dayOf(filter.to, -1)}
        onChange={event => onChange({ to: instantOf(event.target.value, 1) })}
      />
      <MerchantChoice value={filter.merchantId} all="All merchants" onChange={merchantId => onChange({ merchantId })} />
    </form>
  );
}

/** The reader's day an instant lies in, for the browser's date field. */
function dayOf(iso: string | undefined, days = 0): string {
  if (!iso) return '';
  const date = new Date(iso);
  date.setDate(date.getDate() + days);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function instantOf(day: string, days: number): string | undefined {
  if (!day) return undefined;
  const [year, month, date] = day.split('-').map(Number);
  return new Date(year!, month! - 1, date! + days).toISOString();
}

function PaymentTable({ payments }: { payments: Payment[] }): ReactNode {
  return (
    <div className="scroll" role="region" aria-label="Payments" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">Transaction</th>
            <th scope="col">Outcome</th>
            <th scope="col" className="right">
              Amount
            </th>
            <th scope="col">Reference</th>
            <th scope="col">Status</th>
            <th scope="col">Time</th>
          </tr>
        </thead>
        <tbody>
          {payments.map(payment => (
            <tr key={payment.transactionId}>
              <th scope="row">
                <Link to="/payments/$transactionId" params={{ transactionId: String(payment.transactionId) }}>
                  {payment.transactionId}
                </Link>
              </th>
              <td>
                <OutcomeTag outcome={payment.outcome} />
              </td>
              <td className="right">
                <Money {...payment} />
              </td>
              <td>{payment.reference}</td>
              <td>{payment.status}</td>
              <td>
                <Moment at={payment.completedAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <div className="notice">
        <p>No payment fits. A reference, code or transaction id must be typed as a whole.</p>
        <Link to="/payments" search={{} as never}>
          Show all payments
        </Link>
      </div>
    );
  return (
    <div className="notice">
      <p>No payments yet. Make a payment code by the API and pay it; it shows here within a second:</p>
      <pre>
        POST /pluto/code/create{'\n'}
        {'{"merchantReference":"order-1","amount":25.50,"currencyCode":"ZAR"}'}
      </pre>
    </div>
  );
}
