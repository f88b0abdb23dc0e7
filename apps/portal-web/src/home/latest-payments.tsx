import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PaymentTable } from '../payments/payment-table';
import { latestQuery } from '../server/server-state';
import { t } from '../language/language';

/** The five newest payments. */
export function LatestPayments({ merchantId }: { merchantId: number }): ReactNode {
  const { data } = useQuery(latestQuery(merchantId));
  if (!data || data.payments.length === 0) return null;
  return (
    <div className="payment-list">
      <div className="head">
        <h2>{t('Latest payments')}</h2>
        <span className="spacer" />
        <Link to="/payments" search={{ merchantId } as never}>
          {t('All payments')}
        </Link>
      </div>
      <PaymentTable label="Latest payments" payments={data.payments} isShort />
    </div>
  );
}
