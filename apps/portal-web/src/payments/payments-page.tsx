import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import type { Payment, PaymentPage } from '../portal-api';
import { exportLink, type PaymentPageSearch, type PaymentSearch, paymentsQuery } from './queries';
import { answerName, Failure, Moment, Money, OutcomeTag, Table, Waiting } from '../ui';
import { PaymentFilters } from './payment-filters';

/** Payments, newest first, as far back as one asks. The address holds the filter, so a person can send it to a colleague. */
export function PaymentsPage(): ReactNode {
  const page = useSearch({ from: '/signed-in/payments' });
  const navigate = useNavigate({ from: '/payments' });
  const go = (next: PaymentPageSearch) => void navigate({ search: before => ({ ...before, ...next }) as never });
  // A new filter starts at the newest payment.
  const change = (next: PaymentSearch) => go({ ...next, after: undefined, before: undefined });
  const list = useQuery({ ...paymentsQuery(page), placeholderData: keepPreviousData });
  useEffect(() => void (document.title = 'Payments · Paycode'), []);
  return (
    <>
      <h1>Payments</h1>
      <PaymentFilters filter={page} onChange={change} />
      {list.isError && <Failure error={list.error} again={() => void list.refetch()} />}
      {list.isPending && <Waiting what="Reading payments" />}
      {list.data?.payments.length === 0 && <Nothing isFiltered={Object.values(page).some(value => value !== undefined)} />}
      {list.data && list.data.payments.length > 0 && <PaymentTable payments={list.data.payments} />}
      {list.data && list.data.payments.length > 0 && <Export filter={page} />}
      {list.data && <Pages page={list.data} onGo={go} isFirst={page.after === undefined && page.before === undefined} />}
    </>
  );
}

/** The browser stores the file as it comes; a person's session goes with the link. */
function Export({ filter }: { filter: PaymentSearch }): ReactNode {
  return (
    <p>
      <a className="button" href={exportLink(filter)} download>
        Export CSV
      </a>{' '}
      <span className="dim">
        The file holds the payments that match the filters, newest first, at most 100,000 of them. For older ones set Until to the
        day of its last line.
      </span>
    </p>
  );
}

function Pages(props: { page: PaymentPage; isFirst: boolean; onGo: (next: PaymentPageSearch) => void }): ReactNode {
  const { next, previous } = props.page;
  if (props.isFirst && !next) return null;
  return (
    <nav className="row" aria-label="Pages of the list">
      <button type="button" disabled={props.isFirst} onClick={() => props.onGo({ after: undefined, before: undefined })}>
        Newest
      </button>
      <button type="button" disabled={!previous} onClick={() => props.onGo({ after: undefined, before: previous ?? undefined })}>
        Newer
      </button>
      <button type="button" disabled={!next} onClick={() => props.onGo({ after: next ?? undefined, before: undefined })}>
        Older
      </button>
    </nav>
  );
}

function PaymentTable({ payments }: { payments: Payment[] }): ReactNode {
  return (
    <Table
      label="Payments"
      columns={['Transaction', 'Outcome', { name: 'Amount', isRight: true }, 'Reference', 'Status', 'Answer', 'Time']}
    >
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
          <td>{payment.answer ? answerName(payment.answer) : '–'}</td>
          <td>
            <Moment at={payment.completedAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }): ReactNode {
  if (isFiltered)
    return (
      <div className="notice">
        <p>No payment fits. Type how its reference, code or transaction id begins.</p>
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
