import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Money, outcomeName } from '../ui';
import { type PaymentSearch, totalsQuery } from './queries';

/** Count and sums of all that is looked for, whatever page is shown. */
export function PaymentTotals({ filter }: { filter: PaymentSearch }): ReactNode {
  const { data } = useQuery(totalsQuery(filter));
  if (!data || data.totals.length === 0) return null;
  if (data.isCut)
    return <p className="dim">More than 5,000 payments fit: with a shorter time, or another filter, they are added up here.</p>;
  const count = data.totals.reduce((sum, each) => sum + each.count, 0);
  const sums = data.totals.filter(({ outcome }) => outcome !== 'NO_MONEY');
  return (
    <p className="totals" aria-label="Totals">
      <span className="dim">
        {count} {count === 1 ? 'payment' : 'payments'}
      </span>
      {sums.map(({ outcome, refunded, refundedAmount, ...sum }) => (
        <span key={`${outcome} ${sum.currencyCode}`} className={outcome.toLowerCase()}>
          <Money {...sum} /> {outcomeName(outcome).toLowerCase()}
          {refunded > 0 && (
            <>
              , <Money amount={refundedAmount} currencyCode={sum.currencyCode} /> of it refunded
            </>
          )}
        </span>
      ))}
    </p>
  );
}
