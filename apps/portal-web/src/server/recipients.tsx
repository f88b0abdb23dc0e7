import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { call } from '../api';
import type { PortalNotifications } from '../portal-api';
import { notificationsQuery } from './queries';
import { queryClient } from '../queries';
import { Choice, Failure, Field } from '../ui';
import { ConfirmByPassword } from '../security/own-password';
import { t } from '../language/language';

type Recipient = PortalNotifications['recipients'][number];

/** People who get an e-mail or a short message for each payment, in addition to the server. */
export function Recipients(props: { merchantId: number; recipients: Recipient[]; mayChange: boolean }): ReactNode {
  const path = { merchantId: props.merchantId };
  const [leaving, setLeaving] = useState<Recipient | null>(null);
  const onSuccess = (next: PortalNotifications) => queryClient.setQueryData(notificationsQuery(props.merchantId).queryKey, next);
  const remove = useMutation({
    mutationFn: (body: Recipient & { current: string }) =>
      call('POST /merchants/{merchantId}/notifications/recipients/remove', { path, body }),
    onSuccess,
  });
  const add = useMutation({
    mutationFn: (body: Recipient) => call('POST /merchants/{merchantId}/notifications/recipients', { path, body }),
    onSuccess,
  });
  return (
    <section className="card" aria-labelledby="recipients">
      <h2 id="recipients">{t('People who are told')}</h2>
      {props.recipients.length === 0 && (
        <p>
          {t(
            'Nobody yet. Add an e-mail address or a mobile number: it gets a short text of every payment. Payments do not wait for it.',
          )}
        </p>
      )}
      <ul className="lines">
        {props.recipients.map(recipient => (
          <li key={`${recipient.type} ${recipient.value}`}>
            <span className="tag">{recipient.type === 'EMAIL' ? t('E-mail') : 'SMS'}</span> <span>{recipient.value}</span>
            {props.mayChange && (
              <button
                type="button"
                className="small"
                aria-label={t('Remove {name}', { name: recipient.value })}
                onClick={() => setLeaving(recipient)}
              >
                {t('Remove')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {leaving && (
        <ConfirmByPassword
          title={t('Remove {name}?', { name: leaving.value })}
          action="Remove"
          onConfirm={current => remove.mutateAsync({ ...leaving, current })}
          onClose={() => setLeaving(null)}
        >
          <p>
            {t(
              'It is told of no further payment. A removed e-mail address gets a mail about it, and so do the owners of the account.',
            )}
          </p>
        </ConfirmByPassword>
      )}
      {props.mayChange && <AddRecipient add={recipient => add.mutateAsync(recipient)} />}
      {add.isError && <Failure error={add.error} />}
    </section>
  );
}

const channels = [
  ['EMAIL', 'E-mail'],
  ['SMS', 'SMS'],
] as const;

function AddRecipient({ add }: { add: (recipient: Recipient) => Promise<unknown> }): ReactNode {
  const [type, setType] = useState<Recipient['type']>('EMAIL');
  const [value, setValue] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add({ type, value: value.trim() }).then(
      () => setValue(''),
      () => undefined,
    );
  };
  return (
    <form className="filters" onSubmit={submit}>
      <Choice label="By" options={channels} value={type} onChange={setType} />
      <Field
        label={type === 'EMAIL' ? 'E-mail address' : 'Mobile number'}
        type={type === 'EMAIL' ? 'email' : 'tel'}
        placeholder={type === 'EMAIL' ? 'till@shop.example' : '+27820000001'}
        required
        value={value}
        onChange={setValue}
      />
      <button type="submit">{t('Add')}</button>
    </form>
  );
}
