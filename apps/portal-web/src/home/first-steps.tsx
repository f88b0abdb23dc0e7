import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { PortalNotifications } from '../portal-api';
import { meQuery } from '../queries';
import { Icon } from '../ui';

interface FirstStepsProps {
  merchantId: number;
  http: PortalNotifications['http'];
  hasPayment: boolean;
}

/** Until a merchant has a server and a payment: what to do, one after the other. */
export function FirstSteps({ merchantId, http, hasPayment }: FirstStepsProps): ReactNode {
  const { data: me } = useQuery(meQuery);
  if (http && hasPayment) return null;
  const hasTill = me?.environment === 'sandbox' && me.person.tenantType === 'MERCHANT';
  const steps = [
    { name: 'Set your server', why: 'Paycode tells it of each payment.', isDone: http !== null, to: '/notifications' },
    { name: 'Test it', why: 'A test moves no money.', isDone: Boolean(http?.openedAt), to: '/notifications' },
    {
      name: 'Take a payment',
      why: hasTill ? 'Show a code, and pay it on a phone.' : 'Make a payment code by the API.',
      isDone: hasPayment,
      to: hasTill ? '/till' : '/api',
    },
  ] as const;
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <section className="card" aria-labelledby="first-steps">
      <h2 id="first-steps">Get your first payment</h2>
      <ol className="steps">
        {steps.map(({ name, why, isDone, to }, index) => (
          <li key={name} className={isDone ? 'done' : ''}>
            {isDone ? <Icon name="good" /> : <span className="step">{index + 1}</span>}
            <div>
              <strong>{name}</strong>
              {isDone && <span className="tag settled">Done</span>}
              <p className="dim">{why}</p>
            </div>
            {!isDone && (
              <Link
                className={`button ${index === next ? 'main' : ''}`}
                to={to}
                search={{ merchantId }}
                aria-label={`Start: ${name}`}
              >
                Start
              </Link>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
