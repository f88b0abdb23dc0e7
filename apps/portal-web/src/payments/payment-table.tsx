import './payments.css';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { NamedPayment, Payment } from '../portal-api';
import { merchantsQuery } from '../queries';
import { answerName, type Column, Moment, Money, OutcomeTag, Table } from '../ui';
import { hideable, type Hideable, hiddenIn } from './hidden-columns';
import { rich, t, type Words } from '../language/language';

interface Shown {
  isShort: boolean;
  isOfMany: boolean;
  has: (name: Hideable) => boolean;
}

/** A line for each payment. `isShort`: of one merchant, by their references. `hidden`: what is left out. */
export function PaymentTable(props: {
  label: Words;
  payments: NamedPayment[];
  isShort?: boolean;
  hidden?: string | undefined;
}): ReactNode {
  const { label, payments, isShort = false } = props;
  const { data: merchants = [] } = useQuery(merchantsQuery);
  const gone = hiddenIn(props.hidden);
  const has = (name: Hideable) => !gone.includes(name);
  const isOfMany = !isShort && merchants.length > 1 && has('merchant');
  const named = (name: 'merchant' | 'server' | 'time', isThere = has(name)) => (isThere ? [hideable[name]] : []);
  const always: Column[] = ['Payment', { name: 'Amount', isRight: true }, 'Outcome'];
  return (
    <Table label={label} columns={[...named('merchant', isOfMany), ...always, ...named('server'), ...named('time')]}>
      {payments.map(payment => (
        <Line key={payment.transactionId} payment={payment} shown={{ isShort, isOfMany, has }} />
      ))}
    </Table>
  );
}

function Line({ payment, shown }: { payment: NamedPayment; shown: Shown }): ReactNode {
  const { isOfMany, has } = shown;
  return (
    <tr>
      {isOfMany && (
        <td className="of">
          {payment.merchantName ?? t('Merchant')} <span className="dim">{payment.merchantId}</span>
        </td>
      )}
      <Named payment={payment} shown={shown} />
      <td className="right">
        <Money {...payment} />
      </td>
      <td>{has('back') ? <Ending payment={payment} /> : <OutcomeTag {...payment} />}</td>
      {has('server') && <td className="server">{answerOf(payment)}</td>}
      {has('time') && (
        <td className="time">
          <Moment at={payment.completedAt} />
        </td>
      )}
    </tr>
  );
}

function Named({
  payment: { transactionId, reference, code },
  shown: { isShort, has },
}: {
  payment: Payment;
  shown: Shown;
}): ReactNode {
  return (
    <th scope="row">
      <Link to="/payments/$transactionId" params={{ transactionId: String(transactionId) }} data-line="">
        {isShort ? reference : transactionId}
      </Link>
      {!isShort && has('reference') && <span className="reference">{reference}</span>}
      {!isShort && code && has('code') && <span className="dim">{t('code {code}', { code })}</span>}
    </th>
  );
}

function answerOf({ outcome, status, answer }: Payment): string {
  if (outcome === 'NO_MONEY') return status;
  return answer ? answerName(answer) : '–';
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
