import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../api';
import type { HttpNotificationAnswer, PortalNotifications } from '../portal-api';
import { meQuery, merchantsQuery, queryClient } from '../queries';
import { notificationsQuery } from './queries';
import { Facts, Failure, MerchantChoice, Moment, Secret, Waiting } from '../ui';
import { ConfirmByPassword } from '../security/own-password';
import { ProbeOutcome, useProbe } from './probe-outcome';
import { Recipients } from './recipients';
import { ServerCallout } from './server-state';
import { TestNotification } from './test-notification';
import { UrlForm } from './url-form';
import { t, type Text, useTitle, type Words } from '../language/language';

/** Where a merchant is notified: its URL and key, and who gets e-mails and short messages. */
export function NotificationsPage(): ReactNode {
  const { merchantId: chosen } = useSearch({ from: '/signed-in/notifications' });
  const navigate = useNavigate({ from: '/notifications' });
  const { data: merchants, isError, error } = useQuery(merchantsQuery);
  const merchantId = chosen ?? merchants?.[0]?.merchantId;
  useTitle('Your server');
  return (
    <>
      <h1>{t('Your server')}</h1>
      <MerchantChoice value={merchantId} onChange={next => void navigate({ search: { merchantId: next } })} />
      {isError && <Failure error={error} />}
      {merchants?.length === 0 && (
        <p className="notice">{t('You have no merchants yet. They appear here once they are signed up.')}</p>
      )}
      {merchantId !== undefined && <OfMerchant key={merchantId} merchantId={merchantId} />}
    </>
  );
}

function OfMerchant({ merchantId }: { merchantId: number }): ReactNode {
  const { data, isError, error, refetch } = useQuery(notificationsQuery(merchantId));
  const { data: me } = useQuery(meQuery);
  const mayChange = me?.person.mayConfigure ?? false;
  if (isError) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <Waiting what="Reading what is set" />;
  return (
    <>
      {!mayChange && <p className="notice">{t(lookOnly(me?.person.role))}</p>}
      <Webhook merchantId={merchantId} notifications={data} mayChange={mayChange} />
      <Recipients merchantId={merchantId} recipients={data.recipients} mayChange={mayChange} />
    </>
  );
}

function lookOnly(role: string | undefined): Text {
  return role === 'ADMINISTRATOR'
    ? 'In production people of the merchant or its PSP change this. You may look and check.'
    : 'Your role may look and check, and not change anything.';
}

interface WebhookProps {
  merchantId: number;
  notifications: PortalNotifications;
  mayChange: boolean;
}

function Webhook({
  merchantId,
  notifications: { http, encryption, certificateAuthorities },
  mayChange,
}: WebhookProps): ReactNode {
  const path = { merchantId };
  const refresh = () => queryClient.invalidateQueries(notificationsQuery(merchantId));
  const [question, setQuestion] = useState<'key' | 'remove' | null>(null);
  const [revealed, setRevealed] = useState<HttpNotificationAnswer | null>(null);
  const probe = useProbe(merchantId);
  const reveal = async (key: HttpNotificationAnswer) => {
    setRevealed(key);
    await refresh();
  };
  const renew = useMutation({
    mutationFn: (current: string) => call('POST /merchants/{merchantId}/notifications/key', { path, body: { current } }),
    onSuccess: reveal,
  });
  const remove = useMutation({
    mutationFn: (current: string) => call('POST /merchants/{merchantId}/notifications/url/remove', { path, body: { current } }),
    onSuccess: () => {
      setRevealed(null);
      return refresh();
    },
  });
  return (
    <>
      <ServerCallout merchantId={merchantId} http={http} />
      <div className={http ? 'columns' : ''}>
        <section className="card" aria-labelledby="webhook">
          <h2 id="webhook">{t('Address and key')}</h2>
          {http && (
            <p>
              <code>{http.url}</code>
            </p>
          )}
          {revealed && <KeyShown revealed={revealed} />}
          {http && (
            <div className="row">
              <button type="button" disabled={probe.isPending} onClick={() => probe.mutate(undefined)}>
                {probe.isPending ? t('Checking…') : t('Check')}
              </button>
              {mayChange && (
                <>
                  <button type="button" disabled={renew.isPending} onClick={() => setQuestion('key')}>
                    {t('Renew key')}
                  </button>
                  <button type="button" disabled={remove.isPending} onClick={() => setQuestion('remove')}>
                    {t('Remove URL')}
                  </button>
                </>
              )}
            </div>
          )}
          <ProbeOutcome probe={probe} />
          {http && <TestNotification merchantId={merchantId} />}
        </section>
        {http && <Facts title="Key and connection" facts={factsOf(http, encryption)} />}
      </div>
      {mayChange && (
        <section className="card" aria-labelledby="address">
          <h2 id="address">{http ? t('Change the address') : t('Set the address')}</h2>
          <UrlForm
            merchantId={merchantId}
            current={http}
            certificateAuthorities={certificateAuthorities}
            onSet={reveal}
            onFailed={url => probe.mutate(url)}
          />
        </section>
      )}
      <Question asked={question} renew={renew.mutateAsync} remove={remove.mutateAsync} onClose={() => setQuestion(null)} />
    </>
  );
}

type Http = NonNullable<PortalNotifications['http']>;

const dayMs = 86_400_000;

function factsOf(http: Http, encryption: string): [Words, ReactNode][] {
  const age = Math.floor((Date.now() - Date.parse(http.changedAt)) / dayMs);
  return [
    ['Opens notifications', t(http.openedAt ? 'Yes' : 'Not proven yet')],
    ...(http.openedAt ? [['First seen', <Moment at={http.openedAt} />] as [Words, ReactNode]] : []),
    ['Key', <code>{http.keyId}</code>],
    ['Set', <Moment at={http.changedAt} />],
    ['Age', t('{age, plural, one {# day} other {# days}}', { age })],
    ['Encryption', encryption],
    ['Your server is shown', shownTo(http)],
  ];
}

function shownTo({ hasCredential, hasClientCertificate }: Http): string {
  const shown = [
    ...(hasCredential ? [t('the credential that you set')] : []),
    ...(hasClientCertificate ? [t('our client certificate')] : []),
  ];
  return shown.join(` ${t('and')} `) || t('no credential');
}

function Question(props: {
  asked: 'key' | 'remove' | null;
  renew: (current: string) => Promise<unknown>;
  remove: (current: string) => Promise<unknown>;
  onClose: () => void;
}): ReactNode {
  return (
    <>
      {props.asked === 'key' && (
        <ConfirmByPassword title="Renew the key?" action="Renew key" onConfirm={props.renew} onClose={props.onClose}>
          <p>
            {t(
              'The new key is used at once. Notifications on their way may still come under the old one: keep both on your server for a minute. A server that cannot decrypt and does not answer 200 loses payments.',
            )}
          </p>
        </ConfirmByPassword>
      )}
      {props.asked === 'remove' && (
        <ConfirmByPassword title="Remove the URL?" action="Remove URL" onConfirm={props.remove} onClose={props.onClose}>
          <p>
            {t('Your server is no longer told of payments, and they are settled without its answer. The key goes with the URL.')}
          </p>
        </ConfirmByPassword>
      )}
    </>
  );
}

function KeyShown({ revealed }: { revealed: HttpNotificationAnswer }): ReactNode {
  return (
    <div className="notice good" role="status">
      <p>{t('This is your key, in hexadecimal. It is shown now and not again: put it into your server’s configuration.')}</p>
      <Secret label="Key" value={revealed.encryptKey} />
    </div>
  );
}
