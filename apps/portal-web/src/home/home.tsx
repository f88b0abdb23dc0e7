import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PspHome } from '../merchants/psp-home';
import { meQuery } from '../queries';
import { HomePage } from './home-page';

/** Of one merchant, or of those who have many. */
export function Home(): ReactNode {
  const { merchantId } = useSearch({ from: '/signed-in/' });
  const { data: me } = useQuery(meQuery);
  const hasMany = me?.person.tenantType === 'PSP' || me?.person.tenantType === 'ACQUIRER';
  return hasMany && merchantId === undefined ? <PspHome /> : <HomePage />;
}
