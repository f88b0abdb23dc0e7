import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api';
import { queryClient } from '../queries';
import { Failure, Moment } from '../ui';
import { rich, t } from '../language/language';

const recoveryQuery = queryOptions({ queryKey: ['owner-recovery'], queryFn: () => call('GET /owner-recovery') });

/** Shows an owner that somebody else is to become one, so that a fraud can be refused. */
export function OwnerRecovery(): ReactNode {
  const { data, isError, error } = useQuery(recoveryQuery);
  const recovery = data?.recovery;
  const refuse = useMutation({
    mutationFn: (recoveryId: string) => call('POST /owner-recovery/{recoveryId}/refuse', { path: { recoveryId } }),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  if (isError) return <Failure error={error} />;
  if (refuse.isSuccess)
    return (
      <p className="notice good" role="status">
        {t('Refused: nobody becomes an owner by it. Our support sees your refusal.')}
      </p>
    );
  if (!recovery) return null;
  return (
    <section className="card" aria-labelledby="owner-recovery">
      <h2 id="owner-recovery">{t('Somebody is to become an owner')}</h2>
      <p>
        {rich(
          'Our support was asked to make <strong>{name}</strong> ({email}) an owner of this account. Another person of our support can confirm it from {at}.',
          { name: recovery.name, email: recovery.email, at: <Moment at={recovery.confirmsFrom} /> },
        )}
      </p>
      <p>{t('Reason: {reason}', { reason: recovery.reason })}</p>
      <p>{t('If you know of it, do nothing. If not, refuse it, and change your password.')}</p>
      {refuse.isError && <Failure error={refuse.error} />}
      <button type="button" className="main" disabled={refuse.isPending} onClick={() => refuse.mutate(recovery.recoveryId)}>
        {refuse.isPending ? t('Refusing…') : t('Refuse')}
      </button>
    </section>
  );
}
