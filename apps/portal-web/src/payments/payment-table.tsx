import './payments.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NamedPayment, Payment } from '../portal-api';
import { merchantsQuery } from '../queries';
import { answerName, type Column, Moment, Money, OutcomeTag, Table } from '../ui';
import { rich, t, type Words } from '../language/language';

const columns: Column[] = ['Payment', { name: 'Amount', isRight: true }, 'Outcome', 'Your server', 'Time'];

/** A line for each payment. `isShort`: of one merchant, by their references. */
export function PaymentTable(props: { label: Words; payments: NamedPayment[]; isShort?: boolean }): ReactNode {
  const { label, payments, isShort = false } = props;
  const { data: merchants = [] } = useQuery(merchantsQuery);
  const isOfMany = !isShort && merchants.length > 1;
  return (
    <Table label={label} columns={isOfMany ? ['Merchant', ...columns] : columns}>
      {payments.map(payment => (
        <tr key={payment.transactionId}>
          {isOfMany && (
            <td className="of">
              {payment.merchantName ?? t('Merchant')} <span className="dim">{payment.merchantId}</span>
            </td>
          )}
          <th scope="row">
            <Link to="/payments/$transactionId" params={{ transactionId: String(payment.transactionId) }} data-line="">
              {isShort ? payment.reference : payment.transactionId}
            </Link>
            {!isShort && <span className="reference">{payment.reference}</span>}
            {!isShort && payment.code && <span className="dim">{t('code {code}', { code: payment.code })}</span>}
          </th>
          <td className="right">
            <Money {...payment} />
          </td>
          <td>
            <Ending payment={payment} />
          </td>
          <td>{payment.outcome === 'NO_MONEY' ? payment.status : payment.answer ? answerName(payment.answer) : '–'}</td>
          <td>
            <Moment at={payment.completedAt} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** The outcome, with what its notices say. */
function Ending({ payment }: { payment: Payment }): ReactNode {
  const { returnedAt, refundedAmount, refundedAt, currencyCode } = payment;
  return (
    <>
      <OutcomeTag {...payment} />
      {returnedAt && <span className="dim">{rich('money back {at}', { at: <Moment at={returnedAt} /> })}</span>}
      {refundedAmount && refundedAt && (
        <span className="dim">
          {rich('Refunded {amount}, {at}', {
            amount: <Money amount={refundedAmount} currencyCode={currencyCode} />,
            at: <Moment at={refundedAt} />,
          })}
        </span>
      )}
    </>
  );
}
