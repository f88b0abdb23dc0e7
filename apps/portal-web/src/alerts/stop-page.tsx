import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { call } from '../api';
import { Failure } from '../ui';

/**
 * Where the link of an alert leads, without a sign-in. A button stops the mails, because mail programs open links to look at them. The secret
 * stands behind the hash, which no server sees.
 */
export function StopPage(): ReactNode {
  const [secret] = useState(() => location.hash.slice(1));
  const stop = useMutation({ mutationFn: () => call('POST /alerts/stop/{secret}', { path: { secret } }) });
  useEffect(() => {
    document.title = 'Stop e-mails · Paycode';
    history.replaceState(history.state, '', location.pathname);
  }, []);
  if (stop.isSuccess)
    return (
      <main className="alone">
        <h1>These e-mails are off</h1>
        <p>We no longer send you alerts of this kind. You can switch them on again at any time.</p>
        <p>
          <Link to="/alerts">Choose your alerts</Link>
        </p>
      </main>
    );
  return (
    <main className="alone">
      <h1>Stop these e-mails?</h1>
      <p>You get no more alerts of this kind. Your colleagues still do.</p>
      {stop.isError && <Failure error={stop.error} />}
      <button type="button" className="main" disabled={stop.isPending} onClick={() => stop.mutate()}>
        {stop.isPending ? 'One moment…' : 'Stop these e-mails'}
      </button>
    </main>
  );
}
