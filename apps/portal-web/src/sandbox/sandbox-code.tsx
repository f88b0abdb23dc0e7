import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { MadeCode } from '../portal-api';
import { Choice, Facts, Failure, Money } from '../ui';
import { followUp, newCode, payCode, scenariosQuery } from './sandbox-stage';
import { asIs, t } from '../language/language';

/** A code by hand: seen as its QR image, paid here or on a phone, refunded or reversed. */
export function HandMadeCode({ wish }: { wish: { amount: string; currencyCode: string } }): ReactNode {
  const make = useMutation({ mutationFn: () => newCode(wish) });
  return (
    <section className="card" aria-labelledby="by-hand">
      <h2 id="by-hand">{t('A code by hand')}</h2>
      <p>{t('Scan it with a phone that reaches this address, or pay it here.')}</p>
      <button type="button" disabled={make.isPending} onClick={() => make.mutate()}>
        {t(make.isPending ? 'Making it…' : 'Make a code')}
      </button>
      {make.isError && <Failure error={make.error} />}
      {make.data && <Code key={make.data.code} made={make.data} />}
    </section>
  );
}

function Code({ made }: { made: MadeCode }): ReactNode {
  return (
    <>
      <div className="row">
        <img className="qr" src={made.qrPath} width={160} height={160} alt={t('QR code of {url}', { url: made.payUrl })} />
        <Facts
          facts={[
            ['Code', <code key="code">{made.code}</code>],
            ['Amount', <Money key="amount" amount={made.amount} currencyCode={made.currencyCode} />],
            ['Reference', <code key="reference">{made.merchantReference}</code>],
            [
              'Payment page',
              <a key="page" href={made.payUrl} target="_blank" rel="noreferrer">
                {t('Open it as the customer')}
              </a>,
            ],
          ]}
        />
      </div>
      <Payment code={made.code} />
    </>
  );
}

function Payment({ code }: { code: string }): ReactNode {
  const { data: scenarios } = useQuery(scenariosQuery);
  const [txState, setState] = useState('SUCCESS');
  const pay = useMutation({ mutationFn: () => payCode(code, txState) });
  const follow = useMutation({ mutationFn: (event: 'REFUND' | 'REVERSAL') => followUp(code, event) });
  const states = new Set(['SUCCESS', ...(scenarios ?? []).flatMap(({ payments }) => payments)]);
  const isPaid = pay.data?.status === 'SUCCESS';
  return (
    <>
      <div className="row">
        <Choice label="Outcome" options={[...states].map(state => [state, asIs(state)])} value={txState} onChange={setState} />
        <button type="button" className="main" disabled={pay.isPending || isPaid} onClick={() => pay.mutate()}>
          {t('Pay')}
        </button>
        <button type="button" disabled={!isPaid || follow.isPending || follow.isSuccess} onClick={() => follow.mutate('REFUND')}>
          {t('Refund')}
        </button>
        <button
          type="button"
          disabled={!isPaid || follow.isPending || follow.isSuccess}
          onClick={() => follow.mutate('REVERSAL')}
        >
          {t('Reverse')}
        </button>
      </div>
      {[pay, follow].map((done, at) => done.isError && <Failure key={at} error={done.error} />)}
      <p role="status">
        {[pay.data, follow.data].map(
          each =>
            each && (
              <span key={each.transactionId}>
                <Link to="/payments/$transactionId" params={{ transactionId: String(each.transactionId) }}>
                  {each.transactionId}
                </Link>{' '}
                {each.status}.{' '}
              </span>
            ),
        )}
      </p>
    </>
  );
}
