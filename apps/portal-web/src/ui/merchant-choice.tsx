import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { merchantsQuery } from '../queries';

/** For people of several merchants; who has one needs no choice. */
export function MerchantChoice(props: {
  value: number | undefined;
  onChange: (merchantId: number | undefined) => void;
  all?: string;
}): ReactNode {
  const { data: merchants } = useQuery(merchantsQuery);
  if (!merchants || merchants.length < 2) return null;
  return (
    <div className="field inline">
      <label htmlFor="merchant">Merchant</label>
      <select
        id="merchant"
        value={props.value ?? ''}
        onChange={event => props.onChange(event.target.value === '' ? undefined : Number(event.target.value))}
      >
        {props.all && <option value="">{props.all}</option>}
        {merchants.map(({ merchantId, merchantName }) => (
          <option key={merchantId} value={merchantId}>
            {merchantId} {merchantName}
          </option>
        ))}
      </select>
    </div>
  );
}
