import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { latestQuery } from '../server/server-state';
import { answerName, Moment, Money, OutcomeTag, Table } from '../ui';
import '../payments/payments.css';

/** The five newest payments. */
export function LatestPayments({ merchantId }: { merchantId: number }): ReactNode {
  const { data } = useQuery(latestQuery(merchantId));
  if (!data || data.payments.length === 0) return null;
  return (
    <div className="payment-list">
      <div className="head">
        <h2>Latest payments</h2>
        <span className="spacer" />
        <Link to="/payments" search={{ merchantId } as never}>
          All payments
        </Link>
      </div>
      <Table label="Latest payments" columns={['Payment', { name: 'Amount', isRight: true }, 'Outcome', 'Your server', 'Time']}>
        {data.payments.map(payment => (
          <tr key={payment.transactionId}>
            <th scope="row">
              <Link to="/payments/$transactionId" params={{ transactionId: String(payment.transactionId) }}>
                {payment.reference}
              </Link>
            </th>
            <td className="right">
              <Money {...payment} />
            </td>
            <td>
              <OutcomeTag {...payment} />
            </td>
            <td>{payment.answer ? answerName(payment.answer) : '–'}</td>
            <td>
              <Moment at={payment.completedAt} />
            </td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
