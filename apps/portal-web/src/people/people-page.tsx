import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { t, useTitle } from '../language/language';
import { meQuery } from '../queries';
import { Waiting } from '../ui';
import { Actions } from './actions';
import { Colleagues } from './colleagues';
import { OwnerRecovery } from './owner-recovery';

/** The people of the account and, for owners, what they did. */
export function PeoplePage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  useTitle('People');
  if (!me) return <Waiting what="Reading who you are" />;
  return (
    <>
      <h1>{t('People')}</h1>
      {me.person.mayInvite && <OwnerRecovery />}
      <Colleagues me={me} />
      {me.person.mayInvite && <Actions />}
    </>
  );
}
