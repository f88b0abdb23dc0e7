import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { HomeAnswer } from '../portal-api';
import { notificationsQuery } from '../server/queries';
import { latestQuery, ServerTag } from '../server/server-state';
import { TimeChart } from '../ui';

/** How the server of a merchant does. */
export function ServerCard({ merchantId, chart }: { merchantId: number; chart: HomeAnswer['chart'] }): ReactNode {
  const { data: notifications } = useQuery(notificationsQuery(merchantId));
  const { data: latest } = useQuery(latestQuery(merchantId));
  return (
    <section className="card" aria-labelledby="your-server">
      <div className="row">
        <h2 id="your-server">Your server</h2>
        <span className="spacer" />
        {notifications && latest && <ServerTag http={notifications.http} payments={latest.payments} />}
      </div>
      {notifications?.http ? <code>{notifications.http.url}</code> : <p className="dim">Paycode tells nobody of payments.</p>}
      <TimeChart chart={chart} />
      <p>
        <Link to="/notifications" search={{ merchantId }}>
          Open your server
        </Link>
      </p>
    </section>
  );
}
