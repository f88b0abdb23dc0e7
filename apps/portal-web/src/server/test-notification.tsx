import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { TestNotificationResult } from '../portal-api';
import { meQuery, queryClient } from '../queries';
import { notificationsQuery } from './queries';
import { Confirm, Failure } from '../ui';
import { Answer } from './probe-outcome';
import { asIs, rich, t, type Text } from '../language/language';

/** An encrypted notification that moves no money, to see whether the server opens and answers it. */
export function TestNotification({ merchantId }: { merchantId: number }): ReactNode {
  const { data: me } = useQuery(meQuery);
  const [isAsked, setAsked] = useState(false);
  const send = useMutation({
    mutationFn: () => call('POST /merchants/{merchantId}/notifications/test', { path: { merchantId } }),
    // The page says whether the server opened one.
    onSuccess: () => queryClient.invalidateQueries(notificationsQuery(merchantId)),
  });
  if (!me?.person.mayTest) return null;
  const press = () => (me.environment === 'production' ? setAsked(true) : send.mutate());
  return (
    <>
      <h3>{t('Try your code')}</h3>
      <p>
        {t(
          'A test notification is encrypted as a payment’s, and moves no money. Nothing is reversed, whatever your server answers.',
        )}
      </p>
      <button type="button" className="main" disabled={send.isPending} onClick={press}>
        {send.isPending ? t('Sending…') : t('Send test notification')}
      </button>
      <details>
        <summary>{t('How your code knows a test')}</summary>
        <p className="dim">
          {rich(
            'Amount 0.00, reference <code>TEST-…</code>, header <code>X-Webhook-Test: 1</code>. After an answer of 200, a second one comes under a key that nobody has: your server must refuse it.',
          )}
        </p>
      </details>
      {send.isError && <Failure error={send.error} />}
      {send.data && <Result result={send.data} />}
      {isAsked && (
        <Confirm
          title="Send it in production?"
          action="Send"
          onConfirm={() => send.mutateAsync()}
          onClose={() => setAsked(false)}
        >
          <p>
            {t(
              'This is a request to your shop at work. Your code must know a test by its reference and amount, and ship nothing.',
            )}
          </p>
        </Confirm>
      )}
    </>
  );
}

const opened: Record<TestNotificationResult['isOpened'], Text> = {
  YES: 'It opened it with your key: it refused one under a key that nobody has. A payment answered so would be settled.',
  NO: 'But it also answered 200 to one under a key that nobody has: it answers before it opens them. A payment that it cannot read would be settled.',
  NOT_SEEN: 'A payment answered so would be settled. Whether your server opened it could not be seen: send one more in a minute.',
};

function Result({ result }: { result: TestNotificationResult }): ReactNode {
  return (
    <Answer result={result} accepted="Your server took the test notification." isDoubtful={result.isOpened === 'NO'}>
      <p>{t(result.isAccepted ? opened[result.isOpened] : 'A payment answered so would be reversed.')}</p>
      <p>
        {rich('Transaction <code>{transactionId}</code>, reference <code>{reference}</code>, {encryption}.', {
          transactionId: asIs(result.transactionId),
          reference: result.reference,
          encryption: result.encryption,
        })}
      </p>
      {result.detail === 'STATUS_NOT_200' && (
        <p>
          {rich(
            'Look for this transaction in the log of your server. A 400 often is an old key, or a body parser that expects JSON: notifications are encrypted text (<code>text/plain</code>).',
          )}
        </p>
      )}
    </Answer>
  );
}
