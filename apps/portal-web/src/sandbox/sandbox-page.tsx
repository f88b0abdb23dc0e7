import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { meQuery } from '../queries';
import { notificationsQuery } from '../server/queries';
import { Failure, Field } from '../ui';
import { HandMadeCode } from './sandbox-code';
import { Played, Scenarios } from './sandbox-scenarios';
import { useStage } from './sandbox-stage';
import { rich, t, useTitle } from '../language/language';

/** Rehearsals: codes, payments with each outcome, and what may follow them. No money moves. */
export function SandboxPage(): ReactNode {
  const { data: me } = useQuery(meQuery);
  useTitle('Sandbox');
  const isOpen = me?.environment === 'sandbox' && me.person.tenantType === 'MERCHANT';
  return (
    <>
      <h1>{t('Sandbox')}</h1>
      {isOpen ? (
        <Rehearsals merchantId={Number(me.person.tenantId)} mayPlay={me.person.mayTest} />
      ) : (
        <p className="notice">{t('Merchants rehearse here, in the sandbox only. In production nothing can be rehearsed.')}</p>
      )}
    </>
  );
}

function Rehearsals({ merchantId, mayPlay }: { merchantId: number; mayPlay: boolean }): ReactNode {
  const { data: notifications } = useQuery(notificationsQuery(merchantId));
  const [amount, setAmount] = useState('25.50');
  const [currencyCode, setCurrency] = useState('ZAR');
  const stage = useStage({ amount, currencyCode });
  return (
    <>
      <p>
        {rich(
          'A scenario reaches your server as a payment does, and no money moves. A notification that your server does not answer with HTTP 200 within 45 seconds is reversed: let it hang, or stop it, and play <code>success</code> to see that.',
        )}
      </p>
      {notifications && !notifications.http && (
        <p className="notice wait">
          {rich('No notification URL is set: nobody is told of what you play. Set it under <strong>Your server</strong>.')}
        </p>
      )}
      {!mayPlay && <p className="notice">{t('Your role may look, and not play anything here.')}</p>}
      <section className="card" aria-labelledby="amounts">
        <h2 id="amounts">{t('Each payment is of')}</h2>
        <div className="row">
          <Field label="Amount" inputMode="decimal" maxLength={22} value={amount} onChange={setAmount} />
          <Field
            label="Currency"
            maxLength={3}
            autoCapitalize="characters"
            value={currencyCode}
            onChange={next => setCurrency(next.toUpperCase())}
          />
        </div>
      </section>
      {stage.error !== null && <Failure error={stage.error} />}
      <Played stage={stage} />
      {mayPlay && <Scenarios stage={stage} />}
      {mayPlay && <HandMadeCode wish={{ amount, currencyCode }} />}
    </>
  );
}
