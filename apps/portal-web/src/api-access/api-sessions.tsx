import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../api';
import type { PortalApiSession } from '../portal-api';
import { apiSessionsQuery } from './queries';
import { queryClient } from '../queries';
import { Failure, Moment, Waiting } from '../ui';
import { rich, t } from '../language/language';

/** The open sessions of the account's programs; a person can end each of them. */
export function ApiSessions({ mayChange }: { mayChange: boolean }): ReactNode {
  const { data, isError, error, refetch } = useQuery(apiSessionsQuery);
  const end = useMutation({
    mutationFn: (sessionId: string) => call('DELETE /credentials/sessions/{sessionId}', { path: { sessionId } }),
    onSettled: () => queryClient.invalidateQueries(apiSessionsQuery),
  });
  return (
    <section className="card" aria-labelledby="api-sessions">
      <h2 id="api-sessions">{t('Sessions of your programs')}</h2>
      {isError && <Failure error={error} again={() => void refetch()} />}
      {end.isError && <Failure error={end.error} />}
      {!data && !isError && <Waiting what="Reading the sessions" />}
      {data?.length === 0 && <p>{t('No program is logged in.')}</p>}
      <ul>
        {data?.map(session => (
          <Session
            key={session.sessionId}
            session={session}
            onEnd={mayChange ? () => end.mutate(session.sessionId) : undefined}
          />
        ))}
      </ul>
    </section>
  );
}

function Session({ session, onEnd }: { session: PortalApiSession; onEnd: (() => void) | undefined }): ReactNode {
  const { sessionId, loginKind, startedAt, expiresAt } = session;
  return (
    <li>
      {rich(
        loginKind === 'CHALLENGE'
          ? 'Since {at}, with the key; its token ends {end}.'
          : 'Since {at}, with the password alone; its token ends {end}.',
        { at: <Moment at={startedAt} />, end: <Moment at={expiresAt} /> },
      )}{' '}
      {onEnd && (
        <button type="button" className="small" aria-label={t('End session {sessionId}', { sessionId })} onClick={onEnd}>
          {t('End')}
        </button>
      )}
    </li>
  );
}
