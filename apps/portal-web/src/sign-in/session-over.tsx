import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useSyncExternalStore } from 'react';
import { isSessionOverQuery, meQuery, queryClient, sessionNowQuery } from '../queries';
import { t } from '../language/language';
import { useModal } from '../ui';

/** A person who is signed in does not wait for this script. */
const SignInSteps = lazyRouteComponent(() => import('./sign-in-steps'), 'SignInSteps');

/** Over the page whose session has ended: whoever worked on it signs in again, and what was typed is still there. */
export function SessionOver(): ReactNode {
  const { data: isOver } = useQuery(isSessionOverQuery);
  return isOver ? <SignInAgain /> : null;
}

function SignInAgain(): ReactNode {
  const dialog = useModal();
  const { data: now } = useQuery(sessionNowQuery);
  useEffect(() => {
    if (now?.stage !== 'FULL') return;
    const before = queryClient.getQueryData(meQuery.queryKey);
    // Another person sees nothing of what the first one had open.
    if (before?.person.personId !== now.person.personId) return location.assign('/console/');
    queryClient.setQueryData(isSessionOverQuery.queryKey, false);
    void queryClient.invalidateQueries();
  }, [now]);
  return (
    <dialog ref={dialog} aria-labelledby="session-over" onCancel={event => event.preventDefault()}>
      <h2 id="session-over">{t('Your session has ended')}</h2>
      <p>{t('Sign in again to go on where you were. Nothing that you typed is lost.')}</p>
      <Suspense>
        <SignInSteps me={now ?? null} changed={() => queryClient.invalidateQueries(sessionNowQuery)} />
      </Suspense>
    </dialog>
  );
}

const offlineEvents = ['online', 'offline'] as const;

/** Says that the page cannot ask or change anything just now. */
export function Offline(): ReactNode {
  const isOnline = useSyncExternalStore(
    changed => {
      for (const kind of offlineEvents) addEventListener(kind, changed);
      return () => offlineEvents.forEach(kind => removeEventListener(kind, changed));
    },
    () => navigator.onLine,
  );
  if (isOnline) return null;
  return (
    <p className="notice bad" role="status">
      {t('You are offline. This page shows what it last read, and changes nothing until you are connected again.')}
    </p>
  );
}
